package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Engine;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A channel's whole state as bytes, little-endian, so that it can go on elsewhere in the middle of
 * a command.
 *
 * <pre>
 *  u32 version (1)   u32 length   ring   decoder   semaphore   u32 reference   u64 busy ns
 *  subchannel words   engine objects   i32 engine object with a pending method, -1 none
 * </pre>
 */
public final class ChannelImage {
  /** Longest record. */
  public static final int MAX_BYTES = 0x3000;

  private static final int VERSION = 1;

  private ChannelImage() {}

  /** Writes the record of a channel. */
  public static byte[] save(GpuChannel channel) {
    ByteBuffer to = ByteBuffer.allocate(MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(VERSION).putInt(0);
    channel.ring.save(to);
    channel.decoder.save(to);
    channel.semaphore.save(to);
    to.putInt(channel.hostMethods.reference()).putLong(channel.busyNs);
    channel.subchannels.save(to);
    to.putInt(channel.subchannels.numberOf(channel.pending));
    to.putInt(4, to.position());
    byte[] record = new byte[to.position()];
    to.flip().get(record);
    return record;
  }

  /**
   * Sets a channel that has not started to a record. It then has its ring and is suspended.
   *
   * @return false when the record is not one; the channel is then to be thrown away
   */
  public static boolean restore(GpuChannel channel, byte[] record) {
    ByteBuffer from = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    try {
      if (from.getInt() != VERSION || from.getInt() != record.length) {
        return false;
      }
      channel.ring.restore(from);
      channel.decoder.restore(from);
      channel.semaphore.restore(from);
      channel.hostMethods.restoreReference(from.getInt());
      channel.busyNs = from.getLong();
      channel.subchannels.restore(from);
      int number = from.getInt();
      Engine pending = channel.subchannels.numbered(number);
      if (from.hasRemaining() || (number != -1 && pending == null)) {
        return false;
      }
      channel.restored(pending);
      return true;
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return false;
    }
  }
}
