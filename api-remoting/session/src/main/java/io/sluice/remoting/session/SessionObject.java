package io.sluice.remoting.session;

import java.util.ArrayList;
import java.util.List;

/**
 * An object of a session: the library's own handle, and the record of how it came about. It refers
 * to the objects it was made of, so that their records live as long as it does, released or not.
 *
 * <p>Belongs to the session's thread.
 */
public final class SessionObject {
  private final ObjectKind kind;
  private final int index;
  private final long handle;
  private final CallRecord creation;
  private final List<CallRecord> changes = new ArrayList<>(0);
  private long chargedBytes;

  SessionObject(ObjectKind kind, int index, long handle, CallRecord creation) {
    this.kind = kind;
    this.index = index;
    this.handle = handle;
    this.creation = creation;
  }

  /** Its kind. */
  public ObjectKind kind() {
    return kind;
  }

  /** The index by which the application names it. */
  public int index() {
    return index;
  }

  /** What the library names it by. */
  public long handle() {
    return handle;
  }

  /** The call that made it. */
  public CallRecord creation() {
    return creation;
  }

  /** The calls that changed it since, in order. */
  public List<CallRecord> changes() {
    return changes;
  }

  /** Bytes that it was charged with. */
  long chargedBytes() {
    return chargedBytes;
  }

  void charge(long bytes) {
    chargedBytes = bytes;
  }

  @Override
  public String toString() {
    return kind.name() + " " + index;
  }
}
