package io.sluice.remoting.opencl;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The device of a queue, and the order in which it runs its commands.
 *
 * @param isOutOfOrder whether a command need not wait for those before it
 * @param turn number of the device among those that guests take turns at
 * @param isOfProcessors whether the device is this host's processors, or some of them
 */
record QueueOrder(boolean isOutOfOrder, int turn, boolean isOfProcessors) {
  private static final long QUEUE_PROPERTIES = 0x1093; // CL_QUEUE_PROPERTIES
  private static final long OUT_OF_ORDER = 1; // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
  private static final long PROFILING = 1 << 1; // CL_QUEUE_PROFILING_ENABLE

  /**
   * Whether a list of properties, names and values in turn, makes a queue of the host: some
   * libraries end their process when asked for one of the device.
   */
  static boolean isOfHost(long[] properties) {
    return properties.length == 0
        || properties.length == 2
            && properties[0] == QUEUE_PROPERTIES
            && (properties[1] & ~(OUT_OF_ORDER | PROFILING)) == 0;
  }

  /** By the properties of a queue of the host. */
  static QueueOrder of(long[] properties, int turn, boolean isOfProcessors) {
    boolean isOutOfOrder = properties.length > 0 && (properties[1] & OUT_OF_ORDER) != 0;
    return new QueueOrder(isOutOfOrder, turn, isOfProcessors);
  }

  /**
   * Whether a device has queues of this order. Some libraries make a queue out of order for a
   * device that has none, and run its commands in order: what waits for nothing waits then.
   */
  boolean isHadBy(Memo memo, long device) {
    if (!isOutOfOrder) {
      return true;
    }
    MemorySegment out = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clGetDeviceInfo(
            device, ClParam.DEVICE_QUEUE_PROPERTIES, Long.BYTES, out, MemorySegment.NULL);
    return status == ClStatus.SUCCESS && (out.get(ValueLayout.JAVA_LONG, 0) & OUT_OF_ORDER) != 0;
  }
}
