/** What Spring Security, where the application has it, knows of who asks. */
@NullMarked
package dev.sluice.spring.security;

import org.jspecify.annotations.NullMarked;
