/** The channels of a guest: their states, their draining and seeding, and what they are doing. */
@NullMarked
package io.sluice.channel.nvidia.channel;

import org.jspecify.annotations.NullMarked;
