package io.sluice.management;

import java.time.Duration;
import java.util.List;

/** A session's move that was made, or that was looked into. */
@Description("A session's move that was made, or that was looked into.")
public record SessionMove(
    @Description("what is in the way, each by its name; empty for a move that was made")
        List<String> obstacles,
    @Description("rounds in which contents were sent while the application ran") int rounds,
    @Description("bytes of its state that were sent") long sentBytes,
    @Description("for how long no call of the application's was taken, nanoseconds")
        long stoppedNs) {
  /** A move gives up by itself; this is beyond all that it waits for. */
  public static final Duration LONGEST = Duration.ofMinutes(30);
}
