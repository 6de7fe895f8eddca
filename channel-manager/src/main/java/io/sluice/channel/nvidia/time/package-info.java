/** The account of GPU time, and the slices that guests' weights are worth. */
@NullMarked
package io.sluice.channel.nvidia.time;

import org.jspecify.annotations.NullMarked;
