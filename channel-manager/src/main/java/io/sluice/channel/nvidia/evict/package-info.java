/** The host memory for what video memory does not hold, and the moves there and back. */
@NullMarked
package io.sluice.channel.nvidia.evict;

import org.jspecify.annotations.NullMarked;
