/** The DRM-device seam and the DRM core's structures. */
@NullMarked
package io.sluice.abi.drm;

import org.jspecify.annotations.NullMarked;
