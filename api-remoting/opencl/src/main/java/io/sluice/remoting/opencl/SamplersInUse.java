package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.util.ArrayList;
import java.util.List;

/**
 * Samplers of launches under way, each retained until its launch has come to its end. OpenCL 1.2,
 * section 5.5, has a sampler live as long as queued commands use it; PoCL 3.1 gives it up with its
 * last reference, and launches read what the memory holds by then. Belongs to the session's thread.
 */
final class SamplersInUse implements AutoCloseable {
  private final Memo memo;
  private final Completions completions;
  private List<Use> uses = new ArrayList<>();

  private record Use(long event, Retained samplers) {
    void end() {
      samplers.close();
      int _ = OpenClLibrary.clReleaseEvent(event);
    }
  }

  SamplersInUse(Memo memo, Completions completions) {
    this.memo = memo;
    this.completions = completions;
  }

  /** A launch is queued. */
  void add(long event, List<SessionObject> samplers) {
    int _ = OpenClLibrary.clRetainEvent(event);
    uses.add(new Use(event, Retained.of(samplers)));
  }

  /** Gives up those whose launches have come to their end; not within a call. */
  void settle() {
    if (uses.isEmpty()) {
      return;
    }
    List<Use> before = uses;
    uses = new ArrayList<>(before.size());
    for (Use each : before) {
      memo.clear();
      if (completions.look(each.event) > ClStatus.COMPLETE) {
        uses.add(each);
      } else {
        each.end();
      }
    }
  }

  /** Gives up all. */
  @Override
  public void close() {
    uses.forEach(Use::end);
    uses.clear();
  }
}
