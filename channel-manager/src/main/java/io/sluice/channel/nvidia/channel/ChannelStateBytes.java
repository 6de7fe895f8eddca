package io.sluice.channel.nvidia.channel;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.RmSpace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The state of a drained channel that another backend must know, as {@link
 * io.sluice.channel.Channel}'s opaque state: little endian, from anywhere.
 *
 * @param ringStart address of the ring
 * @param ringOrder 1 &lt;&lt; ringOrder entries
 * @param next the entry to go on with
 * @param put first entry that the guest has not put
 */
public record ChannelStateBytes(GpuVa ringStart, int ringOrder, int next, int put) {
  private static final int MAGIC = 0x3152_4e53; // SNR1
  private static final int SIZE = 24;

  byte[] toBytes() {
    return ByteBuffer.allocate(SIZE)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC)
        .putInt(ringOrder)
        .putLong(ringStart.value())
        .putInt(next)
        .putInt(put)
        .array();
  }

  /**
   * @throws io.sluice.abi.RefusedException SLU-RM-014 for what is none
   */
  static ChannelStateBytes of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length != SIZE || buffer.getInt() != MAGIC) {
      throw RmRefusal.noState("bytes=" + bytes.length);
    }
    int order = buffer.getInt();
    long start = buffer.getLong();
    int next = buffer.getInt();
    int put = buffer.getInt();
    if (order < 1 || order > ChannelRing.MAX_ORDER) {
      throw RmRefusal.noState("order=" + order);
    }
    boolean fits = (start & 7) == 0 && start >= 0 && start < RmSpace.END;
    if (!fits || next >>> order != 0 || put >>> order != 0) {
      throw RmRefusal.noState(
          "start=0x" + Long.toHexString(start) + " next=" + next + " put=" + put);
    }
    return new ChannelStateBytes(new GpuVa(start), order, next, put);
  }
}
