package io.sluice.guest;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * A channel with its ring and a pushbuffer in this process' memory. Used by one thread.
 *
 * <p>We write the ring, the pushbuffer and GP_PUT; the GPU writes GP_GET. An entry is stored before
 * GP_PUT, which is stored with release order. Submitting makes no call and allocates nothing.
 */
public final class ClientChannel implements AutoCloseable {
  private static final int RING_ORDER = 9;

  /** Turns of a loop: some hundred microseconds. */
  private static final int LOOKS_AT_HOST = 1 << 14;

  private static final int ENTRIES = 1 << RING_ORDER;
  private static final int PUSHBUFFER_BYTES = 1 << 20;

  // One buffer has all three.
  private static final int RING_BYTES = ENTRIES * Long.BYTES;
  private static final int FENCE_BYTES = 4096;
  private static final int PUSHBUFFER_OFFSET = RING_BYTES + FENCE_BYTES;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final AttachedDevice device;
  private final int cid;
  private final BufferSet memory;
  private final MemorySegment ring;
  private final MemorySegment fence;
  private final MemorySegment pushbuffer;
  private final long ringBase;
  private final long pushBase;
  private final long fenceAddress;
  private final Pushbuffer tail = new Pushbuffer();
  private final int[] entryEnds = new int[ENTRIES];
  private int put;
  private int position;
  private int fenceValue;

  /** The page where the device is now, and how often it had moved then. */
  private MemorySegment control = MemorySegment.NULL;

  private int generation = -1;

  private ClientChannel(AttachedDevice device, Space space, int cid) {
    this.device = device;
    this.cid = cid;
    this.memory =
        space.allocate(List.of(BufferRequest.process(PUSHBUFFER_OFFSET + PUSHBUFFER_BYTES)));
    MemorySegment bytes = memory.bytes(0);
    this.ring = bytes.asSlice(0, RING_BYTES);
    this.fence = bytes.asSlice(RING_BYTES, FENCE_BYTES);
    this.pushbuffer = bytes.asSlice(PUSHBUFFER_OFFSET);
    this.ringBase = memory.address(0).value();
    this.fenceAddress = ringBase + RING_BYTES;
    this.pushBase = ringBase + PUSHBUFFER_OFFSET;
    device.startChannel(cid, ringBase, RING_ORDER);
  }

  static ClientChannel create(AttachedDevice device, Space space) {
    return new ClientChannel(device, space, device.newChannel(space.id()));
  }

  /** The guest's id of it. */
  public int id() {
    return cid;
  }

  /**
   * Submits words as one ring entry. Blocks, by polling GP_GET, while the ring or the pushbuffer is
   * full.
   *
   * @throws ChannelFailedException when the channel has ended
   */
  public void submit(Pushbuffer words) {
    int bytes = words.length() * 4;
    if (bytes == 0 || bytes > PUSHBUFFER_BYTES / 2) {
      throw new IllegalArgumentException(
          "a submission has 4 to " + PUSHBUFFER_BYTES / 2 + " bytes, bytes=" + bytes);
    }
    int start = position + bytes <= PUSHBUFFER_BYTES ? position : 0;
    awaitRoom(start, start + bytes);
    MemorySegment target = pushbuffer;
    for (int i = 0; i < words.length(); i++) {
      target.setAtIndex(ValueLayout.JAVA_INT, (start >> 2) + i, words.word(i));
    }
    position = start + bytes;
    entryEnds[put] = position;
    submitEntry(pushBase + start, bytes);
  }

  /** Writes a ring entry as it is, and GP_PUT behind it. For tests of what is not allowed, too. */
  public void submitEntry(long address, int bytes) {
    ring.setAtIndex(ValueLayout.JAVA_LONG, put, address | (long) bytes << 40);
    put = (put + 1) & (ENTRIES - 1);
    INT.setRelease(control(), (long) GuestAbi.USERD_GP_PUT, put);
  }

  /** GP_GET: index of the next entry the GPU fetches. */
  public int get() {
    return (int) INT.getAcquire(control(), (long) GuestAbi.USERD_GP_GET);
  }

  /** REFERENCE, as SET_REFERENCE stored it. */
  public int reference() {
    return (int) INT.getAcquire(control(), (long) GuestAbi.USERD_REFERENCE);
  }

  /** Submits words and a fence behind them; returns the fence's value. */
  public int submitWithFence(Pushbuffer words) {
    submit(words);
    tail.clear();
    tail.release(new GpuVa(fenceAddress), ++fenceValue);
    submit(tail);
    return fenceValue;
  }

  /** As {@link #submitWithFence}, and raises the channel's interrupt after the fence. */
  public int submitWithInterrupt(Pushbuffer words) {
    submit(words);
    tail.clear();
    tail.release(new GpuVa(fenceAddress), ++fenceValue).interrupt();
    submit(tail);
    return fenceValue;
  }

  /** Waits for a fence by polling memory. */
  public void awaitByPolling(int value) {
    int looks = 0;
    while (!reached(value)) {
      lookAgain(++looks);
    }
  }

  /** One turn of a loop that waits by looking at memory: now and then at the host, too. */
  private void lookAgain(int looks) {
    check();
    if (looks % LOOKS_AT_HOST == 0) {
      device.requireHost();
    }
    Thread.onSpinWait();
  }

  /**
   * Waits for a fence by the channel's interrupt.
   *
   * @return false after the time-out
   */
  public boolean awaitByInterrupt(int value, int timeoutMs) {
    while (!reached(value)) {
      check();
      int seen = device.interrupts().count(cid);
      if (reached(value)) {
        return true;
      }
      if (!device.interrupts().awaitChannel(cid, seen, timeoutMs)) {
        check();
        if (reached(value)) {
          return true;
        }
        device.requireHost();
        return false;
      }
    }
    return true;
  }

  /** Interrupts of this channel so far. */
  public int interrupts() {
    return device.interrupts().count(cid);
  }

  /**
   * Waits until there were more interrupts than a count.
   *
   * @return false after the time-out
   */
  public boolean awaitInterrupt(int after, int timeoutMs) {
    boolean came = device.interrupts().awaitChannel(cid, after, timeoutMs);
    if (!came) {
      device.requireHost();
    }
    return came;
  }

  /** SLUICE_ERROR_* of the channel; 0 while it lives. */
  public int error() {
    return ControlWords.ERROR.bitsAcquire(control(), GuestAbi.CONTROL_OFFSET);
  }

  /** SLUICE_CHANNEL_*, as the host tells it by a call. */
  public int queryState() {
    return device.channelState(cid);
  }

  private MemorySegment control() {
    if (generation != device.moves()) {
      generation = device.moves();
      control = device.controlPage(cid);
    }
    return control;
  }

  private boolean reached(int value) {
    return (int) INT.getAcquire(fence, 0L) - value >= 0;
  }

  private void check() {
    int error = error();
    if (error != 0) {
      throw new ChannelFailedException(
          cid,
          error,
          ControlWords.ERROR_INFO.bits(control(), GuestAbi.CONTROL_OFFSET),
          ControlWords.ERROR_ADDRESS.get(control(), GuestAbi.CONTROL_OFFSET));
    }
  }

  /** Waits until the ring has a free entry and no entry in it uses part of a range. */
  private void awaitRoom(int start, int end) {
    for (int looks = 1; ; looks++) {
      int get = get() & (ENTRIES - 1);
      boolean full = ((put + 1) & (ENTRIES - 1)) == get;
      if (!full && !inUse(get, start, end)) {
        return;
      }
      lookAgain(looks);
    }
  }

  private boolean inUse(int get, int start, int end) {
    if (get == put) {
      return false;
    }
    int oldest = get == 0 ? ENTRIES - 1 : get - 1;
    int usedFrom = entryEnds[oldest];
    int usedTo = entryEnds[(put - 1) & (ENTRIES - 1)];
    return usedFrom < usedTo ? start < usedTo && usedFrom < end : start < usedTo || usedFrom < end;
  }

  /** Ends the channel and frees its memory. */
  @Override
  public void close() {
    memory.close(List.of(DeviceCalls.channelFree(cid)));
  }
}
