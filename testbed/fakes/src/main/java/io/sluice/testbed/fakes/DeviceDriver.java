package io.sluice.testbed.fakes;

import io.sluice.abi.SyscallException;
import java.lang.foreign.MemorySegment;

/** The driver of a fake's device: what the device does when it is asked. */
@FunctionalInterface
public interface DeviceDriver {
  /**
   * @return the result of the call, not negative
   * @throws SyscallException with the errno of a call that fails
   */
  int ioctl(long request, MemorySegment argument);
}
