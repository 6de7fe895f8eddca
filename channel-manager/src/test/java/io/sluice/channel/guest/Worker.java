package io.sluice.channel.guest;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A channel as a guest's program uses it: ring and pushbuffer in video memory, no calls. */
public final class Worker {
  static final GpuVa LOW = new GpuVa(0x2000_0000L);
  static final GpuVa HIGH = new GpuVa(1L << 40);
  static final int ORDER = 4;

  /** Host method SET_REFERENCE, one word. */
  public static final int SET_REFERENCE = 0x20010014;

  /** Host method NON_STALL_INTERRUPT, one word. */
  static final int INTERRUPT = 0x20010008;

  /** Host methods SEMAPHORE A to D. */
  public static final int SEMAPHORE = 0x20040004;

  public static final int ACQUIRE = 0x1001;

  private final MemorySegment vram;
  private final MemorySegment page;
  private final long ringOffset;
  private final long wordsOffset;
  private final GpuVa wordsVa;
  public final Guest guest;
  public final int vid;
  public final int cid;
  final GpuVa ringVa;
  private int put;
  private long at;

  public Worker(GpuRig rig, Guest guest, int vid) {
    this.guest = guest;
    this.vid = vid;
    vram = rig.map(guest.vramAperture().orElseThrow());
    MemoryGrant ring = guest.buffers().allocate(2, 0, 0, 4096);
    MemoryGrant words = guest.buffers().allocate(2, 0, 0, 65536);
    ringOffset = ring.apertureOffset().orElseThrow();
    wordsOffset = words.apertureOffset().orElseThrow();
    ringVa = guest.spaces().map(vid, ring.handle(), LOW, HIGH, false);
    wordsVa = guest.spaces().map(vid, words.handle(), LOW, HIGH, false);
    cid = guest.channels().create(vid);
    page = rig.map(guest.controlPages()).asSlice(cid * 4096L, 4096);
  }

  public Worker start() {
    guest.channels().start(cid, ringVa, ORDER, 1);
    return this;
  }

  /** Submits words as one entry. */
  public void submit(int... words) {
    MemorySegment.copy(words, 0, vram, ValueLayout.JAVA_INT, wordsOffset + at, words.length);
    long entry = wordsVa.value() + at | (long) words.length << 42;
    at += words.length * 4L;
    vram.set(ValueLayout.JAVA_LONG, ringOffset + put * 8L, entry);
    put = put + 1 & (1 << ORDER) - 1;
    page.set(ValueLayout.JAVA_INT, GuestAbi.USERD_GP_PUT, put);
  }

  public int reference() {
    return page.get(ValueLayout.JAVA_INT, GuestAbi.USERD_REFERENCE);
  }

  /** A word of {@code struct sluice_control}. */
  int control(long offset) {
    return page.get(ValueLayout.JAVA_INT, GuestAbi.CONTROL_OFFSET + offset);
  }

  long controlLong(long offset) {
    return page.get(ValueLayout.JAVA_LONG, GuestAbi.CONTROL_OFFSET + offset);
  }

  /** Video memory behind the words, for semaphores. */
  MemorySegment spare() {
    return vram.asSlice(wordsOffset + 32768, 32768);
  }

  public GpuVa spareVa() {
    return new GpuVa(wordsVa.value() + 32768);
  }

  public ChannelState state() {
    return guest.channels().query(cid).state();
  }
}
