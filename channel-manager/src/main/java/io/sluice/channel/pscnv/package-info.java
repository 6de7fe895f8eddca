/** The backend that drives a pscnv DRM device. */
@NullMarked
package io.sluice.channel.pscnv;

import org.jspecify.annotations.NullMarked;
