/** Where limits are counted in Redis: at an address, or in the Redis that the application has. */
@NullMarked
package dev.sluice.spring.redis;

import org.jspecify.annotations.NullMarked;
