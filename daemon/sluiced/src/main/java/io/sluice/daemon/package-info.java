/** Composition root: wires modules, creates threads, reads the clock. */
@NullMarked
package io.sluice.daemon;

import org.jspecify.annotations.NullMarked;
