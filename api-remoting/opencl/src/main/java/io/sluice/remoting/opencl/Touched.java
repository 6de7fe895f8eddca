package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The buffers and images that commands may have written, each by the one that has the storage.
 * Belongs to the session's thread.
 */
final class Touched {
  private final List<SessionObject> current = new ArrayList<>();
  private Set<SessionObject> all = none();

  private static Set<SessionObject> none() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /** Another call begins. */
  void begin() {
    current.clear();
  }

  /** The current call writes there. */
  void write(SessionObject mem) {
    SessionObject root = root(mem);
    current.add(root);
    all.add(root);
  }

  /** What the current call writes. */
  List<SessionObject> current() {
    return current.isEmpty() ? List.of() : List.copyOf(current);
  }

  /** A call that wrote nothing so far may do so now. */
  void again(List<SessionObject> roots) {
    all.addAll(roots);
  }

  /** All since this was last asked. */
  Set<SessionObject> take() {
    Set<SessionObject> taken = all;
    all = none();
    return taken;
  }

  /** The object that has the storage of a buffer or image: itself, or the one it is a part of. */
  static SessionObject root(SessionObject mem) {
    SessionObject at = mem;
    for (SessionObject parent = at; parent != null; parent = parent(at)) {
      at = parent;
    }
    return at;
  }

  private static @org.jspecify.annotations.Nullable SessionObject parent(SessionObject mem) {
    for (SessionObject named : mem.creation().named()) {
      if (named.kind() == OpenClKinds.MEM) {
        return named;
      }
    }
    return null;
  }
}
