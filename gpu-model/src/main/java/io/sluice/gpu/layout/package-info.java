/** Layouts of images in memory. */
@NullMarked
package io.sluice.gpu.layout;

import org.jspecify.annotations.NullMarked;
