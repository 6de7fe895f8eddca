/**
 * The submitting side of channels of our own: ring, pushbuffers, copies, fingerprints, and the
 * monitor of an open.
 */
@NullMarked
package io.sluice.channel.nvidia.submit;

import org.jspecify.annotations.NullMarked;
