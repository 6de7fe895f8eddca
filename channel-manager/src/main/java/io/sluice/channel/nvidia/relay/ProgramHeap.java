package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.nvidia.relay.link.MemoryShare;

/**
 * The daemon's heap that a program takes up with what is remembered of it: its files, objects and
 * maps, and the calls that are repeated when these are made anew. What each takes is an upper bound
 * of what it is with references of eight bytes.
 *
 * <p>A call first {@linkplain #require requires} what it may need, and is refused before the driver
 * is asked. What it remembers is {@linkplain #use used} of that; the rest is given back when the
 * call {@linkplain #settle is over}. Under the program's turn.
 */
final class ProgramHeap {
  /** An object without its calls, with its place below another and its pages. */
  static final long OBJECT = 1024;

  /** What a channel or a channel group has besides. */
  static final long CHANNEL = 2048;

  /** A file, with the calls that tie it and map its doorbell, and the address space of UVM's. */
  static final long FILE = 2048;

  /** A place of an object in an external range. */
  static final long MAP = 640;

  /** A range of UVM's, of whatever kind. */
  static final long RANGE = 192;

  private final MemoryShare share;
  private long required;

  /**
   * @param share of what the guest's programs may take, in bytes
   */
  ProgramHeap(MemoryShare share) {
    this.share = share;
  }

  /**
   * Sets bytes apart for the call that is under way.
   *
   * @throws RefusedException SLU-RLY-002 when the guest's programs have no more
   */
  void require(long bytes) {
    if (!share.take(bytes)) {
      throw new RefusedException(
          RelayCode.TOO_MANY,
          Errno.ENOMEM,
          "too much of the daemon's heap for objects, maps and calls, has=" + share.bytes(),
          "");
    }
    required += bytes;
  }

  /** Takes bytes that no call has set apart; nothing when there are no more. */
  boolean tryUse(long bytes) {
    return share.take(bytes);
  }

  /** Takes bytes of those set apart; what the relay makes by itself may be more than that. */
  void use(long bytes) {
    long apart = Math.min(required, bytes);
    required -= apart;
    if (bytes > apart) {
      share.add(bytes - apart);
    }
  }

  /** Something is remembered no more. */
  void free(long bytes) {
    share.giveBack(bytes);
  }

  /** A call is over. */
  void settle() {
    share.giveBack(required);
    required = 0;
  }

  /** The program has ended. */
  void freeAll() {
    required = 0;
    share.giveBack(share.bytes());
  }

  /** What is taken; from any thread. */
  long bytes() {
    return share.bytes();
  }
}
