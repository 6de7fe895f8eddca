package io.sluice.remoting.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object of a session: the library's own handle, and the record of how it came about. It refers
 * to the objects it was made of, so that their records live as long as it does, released or not.
 *
 * <p>Belongs to the session's thread.
 */
public final class SessionObject {
  private final ObjectKind kind;
  private final int index;
  private final long serial;
  private final long handle;
  private final CallRecord creation;
  private final List<CallRecord> changes = new ArrayList<>(0);
  private long chargedBytes;
  private boolean lost;
  private @Nullable Object attachment;

  SessionObject(ObjectKind kind, int index, long serial, long handle, CallRecord creation) {
    this.kind = kind;
    this.index = index;
    this.serial = serial;
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

  /** When it was made, in the order of all that happened; no other object has the same. */
  public long serial() {
    return serial;
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

  /** What the API keeps with it. */
  public <T> T attachment(Class<T> type) {
    return type.cast(Objects.requireNonNull(attachment, toString()));
  }

  /** Whether data of a type is kept with it. */
  public boolean has(Class<?> type) {
    return type.isInstance(attachment);
  }

  /** Has the API's own data kept with it. */
  public SessionObject attach(Object data) {
    attachment = data;
    return this;
  }

  /** Its handle was given back to the library, and may name something else by now. */
  public void lose() {
    lost = true;
  }

  /** Whether its handle was given back. */
  public boolean isLost() {
    return lost;
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
