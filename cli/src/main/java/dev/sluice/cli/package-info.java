/** The command {@code sluice}: one file for each subcommand. */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
