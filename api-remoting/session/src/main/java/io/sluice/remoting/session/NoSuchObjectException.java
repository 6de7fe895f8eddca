package io.sluice.remoting.session;

/**
 * A call that names an object which is not there, or an index that is taken. An answer, no breach.
 */
public final class NoSuchObjectException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ObjectKind kind;

  NoSuchObjectException(ObjectKind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }

  /** The kind of the object. */
  public ObjectKind kind() {
    return kind;
  }
}
