/**
 * NVIDIA's resource manager (RM) as the open kernel modules of the 580 series offer it on {@code
 * /dev/nvidiactl} and {@code /dev/nvidia<n>}: ioctls, the blocks they carry, class and command
 * numbers, and the methods of Hopper's channels.
 *
 * <p>{@link io.sluice.abi.rm.RmAbi} says which layouts a driver version has. Names are those of
 * NVIDIA's headers.
 */
@NullMarked
package io.sluice.abi.rm;

import org.jspecify.annotations.NullMarked;
