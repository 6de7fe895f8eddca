/** The ring of the software GPU between two threads. */
@NullMarked
package io.sluice.gpu.fifo;

import org.jspecify.annotations.NullMarked;
