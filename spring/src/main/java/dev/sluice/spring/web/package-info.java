/** The edge of Spring MVC: what becomes of a denied call. */
@NullMarked
package dev.sluice.spring.web;

import org.jspecify.annotations.NullMarked;
