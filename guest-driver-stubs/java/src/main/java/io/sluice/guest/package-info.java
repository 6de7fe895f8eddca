/**
 * The client of a process that is attached as a guest over vfio-user and submits work to its
 * channels: the Java counterpart of the Linux driver and the C library.
 *
 * <p>{@link io.sluice.guest.AttachedDevice} is where to start.
 */
@NullMarked
package io.sluice.guest;

import org.jspecify.annotations.NullMarked;
