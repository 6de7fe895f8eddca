package io.sluice.remoting.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that was taken and whose effect is still to come, since it waits for what only the
 * application can bring about. It is executed again where the session goes on.
 *
 * @param answerSlot where it is answered, plus one; 0 when nobody waits
 * @param made the event that it makes; null for none
 * @param before changes as they were when it came, to be made again before it
 */
public record OpenCall(
    CallRecord record, int answerSlot, @Nullable SessionObject made, List<Change> before) {
  /** A call that changed an object. */
  public record Change(SessionObject object, CallRecord call) {}
}
