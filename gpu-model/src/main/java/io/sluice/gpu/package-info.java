/** The software GPU behind the DRM-device seam. */
@NullMarked
package io.sluice.gpu;

import org.jspecify.annotations.NullMarked;
