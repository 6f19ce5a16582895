package dev.sluice.algorithm;

/**
 * The whole state of a bucket or a fixed window: an instant and what was used since.
 *
 * @param t a bucket counts refills from here; a fixed window was last charged here
 * @param u permits used since
 */
public record Cell(long t, long u) {}
