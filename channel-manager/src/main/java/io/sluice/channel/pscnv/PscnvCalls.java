package io.sluice.channel.pscnv;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.drm.GemClose;
import io.sluice.abi.pscnv.PscnvGetparam;
import io.sluice.abi.pscnv.PscnvIoctl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * pscnv's ioctls on one open of a device. What the driver refuses with a number that Sluice names
 * becomes a refusal with that number; anything else is a failure of the host.
 */
final class PscnvCalls {
  private final DrmDevice device;

  PscnvCalls(DrmDevice device) {
    this.device = device;
  }

  /** Issues an ioctl with an argument block that the caller filled. */
  void issue(PscnvIoctl ioctl, MemorySegment argument) {
    try {
      device.ioctl(ioctl.request(), argument);
    } catch (SyscallException e) {
      throw refusal(ioctl.name(), e);
    }
  }

  /** Fills a zeroed argument block and issues an ioctl that gives nothing back. */
  void call(PscnvIoctl ioctl, Consumer<MemorySegment> fill) {
    long _ = ask(ioctl, fill, _ -> 0);
  }

  /** Fills a zeroed argument block, issues an ioctl, and takes one number from the answer. */
  long ask(PscnvIoctl ioctl, Consumer<MemorySegment> fill, ToLongFunction<MemorySegment> answer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(ioctl.layout());
      fill.accept(argument);
      issue(ioctl, argument);
      return answer.applyAsLong(argument);
    }
  }

  /** GETPARAM; empty for an id that the driver does not know. */
  OptionalLong parameter(long id) {
    try {
      return OptionalLong.of(
          ask(
              PscnvIoctl.GETPARAM,
              argument -> PscnvGetparam.PARAM.set(argument, id),
              PscnvGetparam.VALUE::get));
    } catch (RefusedException e) {
      if (e.errno() == Errno.EINVAL) {
        return OptionalLong.empty();
      }
      throw e;
    }
  }

  /** Whether the driver has an extension: a real pscnv answers ENOTTY, or EINVAL as old DRM did. */
  boolean offers(PscnvIoctl ioctl, MemorySegment argument) {
    try {
      device.ioctl(ioctl.request(), argument);
      return true;
    } catch (SyscallException e) {
      if (e.is(Errno.ENOTTY) || e.is(Errno.EINVAL)) {
        return false;
      }
      throw e;
    }
  }

  /** Gives a buffer's handle back. */
  void closeBuffer(int handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(GemClose.LAYOUT);
      GemClose.HANDLE.setBits(argument, handle);
      device.ioctl(DrmIoctl.GEM_CLOSE, argument);
    } catch (SyscallException e) {
      throw refusal("GEM_CLOSE", e);
    }
  }

  DrmDevice.DrmMapping map(long mapHandle, long bytes) {
    try {
      return device.map(mapHandle, bytes);
    } catch (SyscallException e) {
      throw refusal("mmap", e);
    }
  }

  private static RuntimeException refusal(String call, SyscallException cause) {
    Optional<Errno> errno = Errno.of(cause.errno());
    if (errno.isEmpty()) {
      return cause;
    }
    RefusedException refused =
        new RefusedException(
            PscnvCode.REFUSED,
            errno.get(),
            "the GPU's driver refused, call=" + call + " errno=" + errno.get(),
            "");
    refused.initCause(cause);
    return refused;
  }
}
