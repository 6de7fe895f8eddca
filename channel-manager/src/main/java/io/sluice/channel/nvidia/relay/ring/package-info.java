/** The rings of CUDA programs, as the relay reads them and goes on with them. */
@NullMarked
package io.sluice.channel.nvidia.relay.ring;

import org.jspecify.annotations.NullMarked;
