package io.sluice.testbed.attack;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** A channel of an attacker: ring and pushbuffer in video memory, mapped through BAR 2. */
final class RawChannel {
  static final int ORDER = 6;
  static final int ENTRIES = 1 << ORDER;
  private static final int RING_BYTES = 8 << ORDER;
  private static final int PUSH_BYTES = 1 << 18;
  private static final int PUT = 0x8c;
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  final int id;
  final long address;
  private final MemorySegment memory;
  private final MemorySegment control;
  private int put;
  private int position;

  RawChannel(RawGuest guest, int space) {
    RawGuest.Video video = guest.video(RING_BYTES + PUSH_BYTES);
    address = guest.map(space, video.handle());
    memory = guest.bar(2).asSlice(video.aperture(), RING_BYTES + PUSH_BYTES);
    id = guest.channel(space);
    guest.start(id, address, ORDER);
    control = guest.bar(4).asSlice(id * 4096L, 4096);
  }

  /** The ring and the pushbuffer behind it. */
  MemorySegment memory() {
    return memory;
  }

  /** Hands words to the GPU, whether there is room or not. */
  void submit(int... words) {
    if (position + words.length * 4 > PUSH_BYTES) {
      position = 0;
    }
    long at = RING_BYTES + position;
    for (int i = 0; i < words.length; i++) {
      memory.set(U32, at + 4L * i, words[i]);
    }
    entry(put, address + at, words.length * 4L);
    position += (words.length * 4 + 15) & -16;
    put(put + 1);
  }

  /** Words at a place of the pushbuffer. */
  void write(int place, int word) {
    memory.set(U32, RING_BYTES + Math.floorMod(place, PUSH_BYTES / 4) * 4L, word);
  }

  void entry(int index, long from, long bytes) {
    memory.set(
        ValueLayout.JAVA_LONG_UNALIGNED,
        Math.floorMod(index, ENTRIES) * 8L,
        from & 0xff_ffff_ffffL | bytes << 40);
  }

  void put(int value) {
    put = Math.floorMod(value, ENTRIES);
    ValueLayout.JAVA_INT.varHandle().setRelease(control, (long) PUT, put);
  }

  void control(int offset, int word) {
    control.set(U32, offset, word);
  }

  /** Words for methods of a subchannel, one after the other. */
  static int[] method(int subchannel, int method, int... data) {
    int[] words = new int[data.length + 1];
    words[0] = 0x2000_0000 | data.length << 16 | subchannel << 13 | method >>> 2;
    System.arraycopy(data, 0, words, 1, data.length);
    return words;
  }
}
