/** The relay: driver calls of unmodified CUDA programs, made for them by the daemon. */
@NullMarked
package io.sluice.channel.nvidia.relay;

import org.jspecify.annotations.NullMarked;
