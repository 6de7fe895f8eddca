package io.sluice.vdevice;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The promise of the queue of calls: whatever was posted before a ring is looked at after it,
 * however rings meet takes.
 */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the last look saw the last call")
@Outcome(expect = Expect.FORBIDDEN, desc = "a call that nobody looks at")
@State
public class CallQueueLook {
  private final CallQueue queue = new CallQueue(1);
  private int slot;
  private int seen;

  @Actor
  public void guest() {
    slot = 1;
    queue.ring(0);
    slot = 2;
    queue.ring(0);
  }

  @Actor
  public void taker() {
    look();
  }

  /** What is still queued is taken in the end. */
  @Arbiter
  public void rest(I_Result result) {
    look();
    look();
    result.r1 = seen;
  }

  private void look() {
    if (!queue.isEmpty()) {
      queue.take();
      seen = slot;
    }
  }
}
