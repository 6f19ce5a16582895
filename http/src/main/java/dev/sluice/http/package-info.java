/**
 * What an HTTP edge needs, whatever the framework: which key and policy a request has, and how a
 * decision looks in headers and bodies. Knows no servlet, no Spring and no server; decides nothing.
 */
@NullMarked
package dev.sluice.http;

import org.jspecify.annotations.NullMarked;
