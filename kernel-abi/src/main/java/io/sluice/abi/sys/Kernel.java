package io.sluice.abi.sys;

import io.sluice.abi.SyscallException;

/**
 * The seam to the operating system: every system call that Sluice makes goes through here, so that
 * a test can stand in for the kernel.
 *
 * <p>All calls restart after {@code EINTR} (with the time-out recomputed). All failures are {@link
 * SyscallException} with call, arguments and errno, except where a method says otherwise. New
 * descriptors are close-on-exec. Methods may be called from any thread; those that can block are
 * for platform threads only.
 */
public interface Kernel extends FileKernel, EventKernel, SocketKernel, ThreadKernel {}
