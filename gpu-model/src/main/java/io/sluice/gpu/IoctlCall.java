package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.pscnv.PscnvIoctl;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One ioctl while it is executed.
 *
 * <p>The argument is a copy of the caller's block; the caller gets it back only when the call
 * succeeds. What must happen after the GPU's lock was released, because it is slow or as long as
 * what the caller has made, is queued; so is what a failed call must take back.
 */
final class IoctlCall {
  private final String name;
  private final MemorySegment argument;
  private final List<Runnable> afterwards = new ArrayList<>(1);
  private final List<Runnable> undone = new ArrayList<>(1);

  IoctlCall(PscnvIoctl ioctl, MemorySegment argument) {
    this(ioctl.name(), argument);
  }

  IoctlCall(String name, MemorySegment argument) {
    this.name = name;
    this.argument = argument;
  }

  MemorySegment argument() {
    return argument;
  }

  /** Runs something once the GPU's lock was released, before the ioctl returns, in this order. */
  void afterwards(Runnable action) {
    afterwards.add(action);
  }

  /** Runs something instead if the ioctl fails. */
  void ifRefused(Runnable action) {
    undone.add(action);
  }

  /** It has succeeded. An action may queue more. */
  void finish() {
    for (int i = 0; i < afterwards.size(); i++) {
      afterwards.get(i).run();
    }
  }

  /** It has failed. */
  void takeBack() {
    undone.forEach(Runnable::run);
  }

  /** The error to throw. */
  SyscallException refuse(Errno errno, String why) {
    return new SyscallException("ioctl", name + ", " + why, errno.number());
  }
}
