/**
 * The generator of a remoted API: reads the specification's two files and writes what encodes calls
 * in C, what decodes them in Java, and the binding of the library that executes them.
 */
@NullMarked
package io.sluice.remoting.generator;

import org.jspecify.annotations.NullMarked;
