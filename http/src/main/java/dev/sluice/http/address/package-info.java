/**
 * Addresses by their bits, and the headers in which proxies pass them on. Never asks a name server:
 * what is not an address literal is nothing.
 */
@NullMarked
package dev.sluice.http.address;

import org.jspecify.annotations.NullMarked;
