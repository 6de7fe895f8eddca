/** Textures and surfaces: headers, samplers, filtering. */
@NullMarked
package io.sluice.gpu.sm.texture;

import org.jspecify.annotations.NullMarked;
