/**
 * Limits for Spring Boot applications: the annotation and the exceptions that application code
 * sees. Everything else is put together by the auto-configuration.
 */
@NullMarked
package dev.sluice.spring;

import org.jspecify.annotations.NullMarked;
