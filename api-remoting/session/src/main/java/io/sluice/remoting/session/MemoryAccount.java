package io.sluice.remoting.session;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * The bytes of device memory that the sessions of a guest hold together, and their limit. Sessions
 * that are on their way here are counted where they come from, until they have come.
 */
public final class MemoryAccount {
  private final LongSupplier limitBytes;
  private final LongUnaryOperator held;
  private final AtomicLong coming = new AtomicLong();

  /**
   * @param limitBytes the limit, asked at each charge; it may change
   */
  public MemoryAccount(LongSupplier limitBytes) {
    this(limitBytes, new AtomicLong()::addAndGet);
  }

  /**
   * The account of a guest that has several hosts.
   *
   * @param limitBytes the limit, asked at each charge; it may change
   * @param held adds to what this host holds, and gives what all hold then
   */
  public MemoryAccount(LongSupplier limitBytes, LongUnaryOperator held) {
    this.limitBytes = limitBytes;
    this.held = held;
  }

  /**
   * Charges an object.
   *
   * @return false if that is beyond the limit; nothing is charged then
   */
  public boolean charge(long bytes) {
    return charge(bytes, held);
  }

  /** Charges an object of a session that is on its way here; as {@link #charge}. */
  boolean chargeComing(long bytes) {
    return charge(bytes, coming::addAndGet);
  }

  /** What is too much by itself is not added: it could not be told from what others hold. */
  private boolean charge(long bytes, LongUnaryOperator to) {
    long limit = limitBytes.getAsLong();
    if (bytes < 0 || bytes > limit) {
      return false;
    }
    if (to.applyAsLong(bytes) > limit) {
      long _ = to.applyAsLong(-bytes);
      return false;
    }
    return true;
  }

  /** A session has come, with so much: no more than it had where it was. */
  void hasCome(long bytes) {
    long _ = coming.addAndGet(-bytes);
    long _ = held.applyAsLong(bytes);
  }

  /** Gives back what a session was charged that does not come. */
  void releaseComing(long bytes) {
    long _ = coming.addAndGet(-bytes);
  }

  /** Gives back what was charged. */
  public void release(long bytes) {
    long _ = held.applyAsLong(-bytes);
  }

  /** Bytes held, by all hosts of the guest. */
  public long heldBytes() {
    return held.applyAsLong(0);
  }
}
