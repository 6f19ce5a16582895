/** Replays a log against policies, in the log's own time. */
@NullMarked
package dev.sluice.cli.replay;

import org.jspecify.annotations.NullMarked;
