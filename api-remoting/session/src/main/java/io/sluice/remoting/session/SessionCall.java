package io.sluice.remoting.session;

import org.jspecify.annotations.Nullable;

/** A call of an application, decoded and checked. Generated records implement it. */
public interface SessionCall {
  /** The kind of the object that the call makes; null if it makes none. */
  default @Nullable ObjectKind made() {
    return null;
  }

  /** The object that keeps the call as part of its record; null if none does. */
  default @Nullable SessionObject changed() {
    return null;
  }
}
