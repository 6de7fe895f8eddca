package io.sluice.gpu.fifo;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The channels of the card, executed round robin. Each turn has a budget in proportion to the
 * channel's weight; a channel that blocks or yields gives the rest of it away. Guarded by the GPU's
 * lock.
 */
public final class Runlist {
  /** Most channels of the card: pscnv's ids 1 to 126. */
  public static final int MAX_CHANNELS = 126;

  /** Most a channel executes between two looks at whether somebody wants the lock. */
  private static final long SLICE_UNITS = 4 << 20;

  /** How often the grid of a suspended channel is looked at. */
  private static final long GRID_LOOK_NS = 1_000_000;

  private final @Nullable Channel[] channels = new @Nullable Channel[MAX_CHANNELS];
  private final Window window = new Window();
  private final LongSupplier clock;
  private final long spinNs;
  private int count;
  private int cursor;
  private long nextLookInNs;

  /**
   * @param clock GPU time
   * @param spinNs how long after its last activity a channel is looked at all the time
   */
  public Runlist(LongSupplier clock, long spinNs) {
    this.clock = clock;
    this.spinNs = spinNs;
  }

  /** Puts a channel on the list; the caller keeps to {@link #MAX_CHANNELS}. */
  public void add(Channel channel) {
    channels[count++] = channel;
  }

  /** Takes a channel off the list. */
  public void remove(Channel channel) {
    int index = Arrays.asList(channels).indexOf(channel);
    if (index < 0) {
      return;
    }
    System.arraycopy(channels, index + 1, channels, index, count - index - 1);
    channels[--count] = null;
    cursor = 0;
  }

  /**
   * Looks at the channels that are due and gives each that has work one turn.
   *
   * @param nowNs GPU time now
   * @param interrupted asked between slices; true ends the round, the rest comes first next time
   * @return number of slices that made progress
   */
  public int round(long nowNs, BooleanSupplier interrupted) {
    int worked = 0;
    boolean parked = false;
    long now = nowNs;
    long soonest = Long.MAX_VALUE;
    int first = cursor;
    for (int i = 0; i < count; i++) {
      int index = first + i < count ? first + i : first + i - count;
      Channel channel = at(index);
      if (!channel.life.isRunnable()) {
        if (channel.collectGrid()) {
          soonest = Math.min(soonest, GRID_LOOK_NS);
        }
        continue;
      }
      if (channel.pace.dueInNs(now) <= 0) {
        if (channel.hasWork() && turn(channel, now, interrupted)) {
          worked++;
          now = clock.getAsLong();
        } else {
          channel.pace.foundIdle(now, spinNs);
        }
      }
      parked |= channel.semaphore.isParked();
      soonest = Math.min(soonest, channel.pace.dueInNs(now));
      if (worked > 0 && interrupted.getAsBoolean()) {
        cursor = index + 1 == count ? 0 : index + 1;
        soonest = 0;
        break;
      }
    }
    if (worked > 0 && parked) {
      lookAtParked(now);
    }
    nextLookInNs = worked > 0 ? 0 : Math.max(0, soonest);
    return worked;
  }

  /** Nanoseconds until the next look that is due, as of the end of the last round. */
  public long nextLookInNs() {
    return nextLookInNs;
  }

  /** Gives a channel its turn, in slices; true when it made progress. */
  private boolean turn(Channel channel, long startNs, BooleanSupplier interrupted) {
    long left = channel.pace.turnUnits();
    long began = startNs;
    boolean progress = false;
    while (true) {
      long units = Math.min(left, SLICE_UNITS);
      SliceEnd end = slice(channel, units, began);
      long used = units - channel.budgetLeft();
      if (used > 0 || end == SliceEnd.READY || end == SliceEnd.DEAD) {
        long ended = clock.getAsLong();
        channel.busyNs += ended - began;
        channel.pace.touched(ended);
        began = ended;
        progress = true;
      }
      left -= used;
      if (end != SliceEnd.READY || used <= 0 || left <= 0 || interrupted.getAsBoolean()) {
        return progress;
      }
    }
  }

  /**
   * One slice. A file that became shorter under its mapping shows as an InternalError: the channel
   * that touched it ends, the GPU goes on.
   */
  private SliceEnd slice(Channel channel, long units, long nowNs) {
    try {
      return channel.run(window, units, nowNs);
    } catch (InternalError e) {
      channel.end(ChannelError.DEVICE.code(), 0, 0);
      return SliceEnd.DEAD;
    }
  }

  /** What was done may be what they wait for. */
  private void lookAtParked(long nowNs) {
    for (int i = 0; i < count; i++) {
      if (at(i).semaphore.isParked()) {
        at(i).pace.lookAgain(nowNs);
      }
    }
  }

  private Channel at(int index) {
    Channel channel = channels[index];
    if (channel == null) {
      throw new AssertionError("the runlist has no gaps, index=" + index);
    }
    return channel;
  }
}
