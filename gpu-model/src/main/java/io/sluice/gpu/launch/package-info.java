/** Launches: from the methods of class 90c0 to a grid that runs beside the engine's thread. */
@NullMarked
package io.sluice.gpu.launch;

import org.jspecify.annotations.NullMarked;
