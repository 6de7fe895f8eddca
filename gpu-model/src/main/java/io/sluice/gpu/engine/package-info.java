/** The engines: M2MF, the copy engines and compute, each a method state per channel. */
@NullMarked
package io.sluice.gpu.engine;

import org.jspecify.annotations.NullMarked;
