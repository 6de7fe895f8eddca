/** The parameters of RM's ioctls. */
@NullMarked
package io.sluice.abi.rm.ioctl;

import org.jspecify.annotations.NullMarked;
