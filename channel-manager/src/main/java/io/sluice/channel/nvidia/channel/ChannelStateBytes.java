package io.sluice.channel.nvidia.channel;

import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.RmSpace;
import java.nio.ByteBuffer;

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

  byte[] toBytes() {
    return new FieldWriter()
        .bits(MAGIC)
        .bits(ringOrder)
        .u64(ringStart.value())
        .bits(next)
        .bits(put)
        .toBytes();
  }

  /**
   * @throws io.sluice.abi.RefusedException SLU-RM-014 for what is none
   */
  static ChannelStateBytes of(byte[] bytes) {
    FieldReader in = new FieldReader(ByteBuffer.wrap(bytes), (_, what) -> RmRefusal.noState(what));
    in.require(in.bits() == MAGIC, "it begins with its magic");
    int order = in.bits();
    in.require(order >= 1 && order <= ChannelRing.MAX_ORDER, "its order is a ring's");
    long start = in.u64();
    in.require((start & 7) == 0 && start >= 0 && start < RmSpace.END, "its ring is in the space");
    int next = in.bits();
    int put = in.bits();
    in.require(next >>> order == 0 && put >>> order == 0, "its entries are in the ring");
    in.end();
    return new ChannelStateBytes(new GpuVa(start), order, next, put);
  }
}
