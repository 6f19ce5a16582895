/** What limiters do, as Micrometer metrics. No label is ever made of a key. */
@NullMarked
package dev.sluice.spring.metrics;

import org.jspecify.annotations.NullMarked;
