/**
 * From {@code sluice.*} properties to policies and rules, and the explanation of those that make no
 * sense. Knows no web framework.
 */
@NullMarked
package dev.sluice.spring.config;

import org.jspecify.annotations.NullMarked;
