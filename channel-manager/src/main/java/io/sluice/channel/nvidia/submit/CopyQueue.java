package io.sluice.channel.nvidia.submit;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.rm.CopyEngines;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmSpace;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;

/**
 * A channel of ours on a copy engine, in an address space of ours, and a page that answers are
 * copied to. Guarded by the open's lock.
 */
public final class CopyQueue {
  private static final long BYTES = HopperRing.SIZE_BYTES + GuestLimits.PAGE_BYTES;
  private static final long MAX_PIECE_BYTES = 1L << 31;

  /** Longer than any copies that are waited for at once take. */
  private static final long LIMIT_NS = 5_000_000_000L;

  private final GpuVa start;
  private final OwnChannel channel;
  private final HopperRing ring;
  private final HopperCommands commands = new HopperCommands();
  private boolean bound;
  private long last;

  private CopyQueue(GpuVa start, OwnChannel channel) {
    this.start = start;
    this.channel = channel;
    ring = channel.ring();
  }

  /**
   * @param engine of {@link CopyEngines}
   * @param start where its ring is mapped; nothing else is in the 16 MiB from there on
   */
  static CopyQueue make(RmOpen open, RmSpace space, int engine, GpuVa start) {
    var plan = new OwnChannel.OwnChannelPlan("sluice-monitor", engine, start, BYTES);
    return new CopyQueue(start, OwnChannel.make(open, space, plan));
  }

  /** A token whose doorbell is ours: ringing it does nothing to anybody. */
  int token() {
    return channel.token();
  }

  /** Copies a few bytes, a page at most, to where the CPU reads them. */
  MemorySegment read(GpuVa from, long bytes) {
    bind().copy(from, new GpuVa(start.value() + HopperRing.SIZE_BYTES), bytes);
    await(submit());
    return channel.memory().asSlice(HopperRing.SIZE_BYTES, bytes);
  }

  /** Has the GPU store a word, where no CPU can any more. */
  void store(GpuVa address, int word) {
    bind().store(address, word);
    await(submit());
  }

  /**
   * Begins to copy, by at most 2 GiB at a time.
   *
   * @return what {@link #await} wants
   */
  public long copy(GpuVa from, GpuVa to, long bytes) {
    long done = last;
    long piece;
    for (long at = 0; at < bytes; at += piece) {
      piece = Math.min(bytes - at, MAX_PIECE_BYTES);
      bind().copy(after(from, at), after(to, at), piece);
      done = submit();
    }
    return done;
  }

  /**
   * Begins to fill with zeros.
   *
   * @param bytes a multiple of 4, at most 4 GiB
   * @return what {@link #await} wants
   */
  public long clear(GpuVa from, long bytes) {
    bind().zeros(from, bytes);
    return submit();
  }

  private long submit() {
    while (ring.isFull()) {
      await(Math.min(ring.lastReleased() + 1, last));
    }
    last = ring.submitWithRelease(commands);
    return last;
  }

  private static GpuVa after(GpuVa start, long bytes) {
    return new GpuVa(start.value() + bytes);
  }

  private HopperCommands bind() {
    commands.clear();
    if (!bound) {
      bound = true;
      commands.bindCopy();
    }
    return commands;
  }

  /** Waits for what was begun, and all before. */
  public void await(long done) {
    channel.await(done, LIMIT_NS);
  }

  /** Whether nothing is under way; it is when a wait has failed. */
  public boolean isIdle() {
    return ring.hasReleased(last);
  }

  /** Frees it; nothing is under way. */
  void release() {
    channel.close();
  }
}
