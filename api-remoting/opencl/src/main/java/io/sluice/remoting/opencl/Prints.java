package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Launches of one session under way that may print. Their text is told before the application can
 * see that they have come to their end. Belongs to the session's thread.
 */
final class Prints implements AutoCloseable {
  private final SessionContext context;
  private final Completions completions;
  private final Gates gates;
  private final Memo memo;
  private final KernelOutput output;
  private final KernelOutput.Printer printer;
  private List<Use> uses = new ArrayList<>();
  private boolean claimed; // also while another is to be next

  private record Use(long event, @Nullable Blocked blocked) {
    boolean waitsForApplication() {
      return blocked != null && blocked.isBlocked();
    }

    void end() {
      int _ = OpenClLibrary.clReleaseEvent(event);
    }
  }

  Prints(
      SessionContext context,
      Completions completions,
      Gates gates,
      Memo memo,
      KernelOutput output) {
    this.context = context;
    this.completions = completions;
    this.gates = gates;
    this.memo = memo;
    this.output = output;
    printer = new KernelOutput.Printer(context.waker());
    completions.beforeEnds(this::tell);
  }

  /**
   * Claims the output for a call that has kernels run that print; false when the session is woken
   * as soon as that may be had. What waits for the application does not have the output.
   */
  boolean claim(OpenClCall call) {
    boolean prints =
        switch (call) {
          case OpenClCall.Launch c ->
              Programs.print(Kernels.programOf(c.kernel()))
                  && !gates.wouldWait(c.queue(), c.waits());
          case OpenClCall.SetUserEventStatus _ -> !uses.isEmpty();
          default -> false;
        };
    boolean may = !prints || output.claim(printer);
    claimed |= prints && may;
    return may;
  }

  /** A launch is queued. */
  void add(long event, @Nullable Blocked blocked) {
    int _ = OpenClLibrary.clRetainEvent(event);
    uses.add(new Use(event, blocked));
  }

  /** Tells the application what was printed by now. */
  private void tell() {
    if (!uses.isEmpty()) {
      context.notices().print(output.take(printer));
    }
  }

  /** Tells what is new, gives up launches that have come to their end; not within a call. */
  void settle() {
    if (uses.isEmpty() && !claimed) {
      return;
    }
    tell();
    List<Use> left = new ArrayList<>(uses.size());
    for (Use each : uses) { // as long as they are there, one that is found to have ended is told
      memo.clear();
      if (completions.look(each.event) > ClStatus.COMPLETE) {
        left.add(each);
      } else {
        each.end();
      }
    }
    uses = left;
    if (claimed && uses.stream().allMatch(Use::waitsForApplication)) {
      giveUp();
    }
  }

  private void giveUp() {
    claimed = false;
    output.release(printer);
  }

  /** Gives up all. */
  @Override
  public void close() {
    uses.forEach(Use::end);
    uses.clear();
    giveUp();
  }
}
