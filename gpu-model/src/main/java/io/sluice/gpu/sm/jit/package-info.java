/** The compiler of programs to classes of the JVM, and the warps that run them. */
@NullMarked
package io.sluice.gpu.sm.jit;

import org.jspecify.annotations.NullMarked;
