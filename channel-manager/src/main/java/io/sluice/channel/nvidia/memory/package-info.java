/** The buffers, regions and address spaces of a guest. */
@NullMarked
package io.sluice.channel.nvidia.memory;

import org.jspecify.annotations.NullMarked;
