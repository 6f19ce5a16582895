/**
 * Measures Sluice on the machine at hand, in ratios that mean something elsewhere too. The peers are
 * measured in the module bench, not here.
 */
@NullMarked
package dev.sluice.cli.bench;

import org.jspecify.annotations.NullMarked;
