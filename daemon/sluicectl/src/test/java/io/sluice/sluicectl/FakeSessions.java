package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** Sessions of one guest that always look the same. */
final class FakeSessions implements SessionsMXBean {
  private static final String GUEST = "web-01";

  private final List<String> asked;
  private int limit = 64;
  private long memory = 4L << 30;
  private final CountDownLatch begun = new CountDownLatch(1);
  private volatile CountDownLatch held = new CountDownLatch(0);

  /**
   * @param asked what was asked for, in order
   */
  FakeSessions(List<String> asked) {
    this.asked = asked;
  }

  /** Nothing moves or ends until the latch is down. */
  void hold(CountDownLatch until) {
    held = until;
  }

  /** Waits until a session is on its way. */
  void awaitMove() throws InterruptedException {
    begun.await();
  }

  private void moving() {
    begun.countDown();
    waitWhileHeld();
  }

  private void waitWhileHeld() {
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public Map<String, SessionHostStatus> getHosts() {
    return Map.of(
        GUEST,
        new SessionHostStatus(
            GUEST,
            SessionHostStatus.SERVING,
            5120,
            "/run/sluice/web-01.sock.api",
            "landlock 7, seccomp",
            List.of("Portable Computing Language: pthread"),
            2,
            limit,
            memory,
            3,
            "its process ended"));
  }

  @Override
  public List<SessionStatus> list(String guest) {
    return List.of(
        new SessionStatus(
            GUEST,
            7,
            6001,
            1000,
            "clpeak",
            "opencl",
            "Portable Computing Language: pthread",
            "vendors",
            Map.of("context", 1L, "buffer", 12L),
            3L << 20,
            12_345,
            61_500,
            1_700_000_000_000L,
            Map.of(
                "il",
                "programs are made of IL, which not every device takes: 1",
                "binaries",
                "programs are made of binaries, which are their implementation's: 2")),
        new SessionStatus(
            GUEST,
            8,
            6044,
            0,
            "clinfo",
            "",
            "",
            "default",
            Map.of(),
            0,
            0,
            0,
            1_700_000_001_500L,
            Map.of()));
  }

  @Override
  public void end(String guest, long session) throws OperationsException {
    if (session != 7 && session != 8) {
      throw Problem.of(
              ErrorCode.SESSION_UNKNOWN,
              "cannot end session " + session + " of guest \"" + guest + "\"",
              "there is no such session",
              "sluicectl session list shows those there are")
          .exception();
    }
    waitWhileHeld();
    asked.add("end " + guest + " " + session);
  }

  @Override
  public void limit(String guest, @Nullable Integer sessions, @Nullable Long memoryBytes) {
    limit = sessions == null ? limit : sessions;
    memory = memoryBytes == null ? memory : memoryBytes;
    asked.add("limit " + guest + " " + sessions + " " + memoryBytes);
  }

  @Override
  public SessionMove move(String guest, long session, String to, boolean checkOnly)
      throws OperationsException {
    asked.add("move " + guest + " " + session + " " + to + " " + checkOnly);
    moving();
    if (checkOnly && session == 8) {
      return new SessionMove(
          List.of("program 3 is made of binaries of another implementation"), 0, 900, 0);
    }
    return new SessionMove(List.of(), 2, 3L << 20, 12_000_000);
  }

  @Override
  public SessionMove checkpoint(String guest, long session, String file) {
    asked.add("checkpoint " + guest + " " + session + " " + file);
    moving();
    return new SessionMove(List.of(), 1, 2L << 20, 8_000_000);
  }

  @Override
  public SessionMove restore(String guest, long session, String file, String to)
      throws OperationsException {
    asked.add("restore " + guest + " " + session + " " + file + " " + to);
    moving();
    if (session == 8) {
      throw Problem.of(
              ErrorCode.SESSION_MOVE,
              "cannot make session 8 of guest \"" + guest + "\" again of " + file,
              "it is in no file",
              "sluicectl session list shows where sessions are")
          .exception();
    }
    return new SessionMove(List.of(), 1, 2L << 20, 9_000_000);
  }

  @Override
  public void stay(String guest, long session) {
    asked.add("stay " + guest + " " + session);
  }
}
