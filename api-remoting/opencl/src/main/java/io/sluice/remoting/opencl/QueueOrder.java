package io.sluice.remoting.opencl;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The device of a queue, and the order in which it runs its commands.
 *
 * @param isOutOfOrder whether a command need not wait for those before it
 * @param turn number of the device among those that guests take turns at
 */
record QueueOrder(boolean isOutOfOrder, int turn) {
  private static final long QUEUE_PROPERTIES = 0x1093; // CL_QUEUE_PROPERTIES
  private static final long OUT_OF_ORDER = 1; // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

  /** By the properties that a queue was made with: names and values in turn. */
  static QueueOrder of(long[] properties, int turn) {
    for (int i = 0; i + 1 < properties.length; i += 2) {
      if (properties[i] == QUEUE_PROPERTIES) {
        return new QueueOrder((properties[i + 1] & OUT_OF_ORDER) != 0, turn);
      }
    }
    return new QueueOrder(false, turn);
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
