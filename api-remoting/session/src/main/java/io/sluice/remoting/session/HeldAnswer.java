package io.sluice.remoting.session;

import org.jspecify.annotations.Nullable;

/**
 * An answer that is given once the session is this host's. Belongs to the thread that makes the
 * session again, then to the session's.
 */
final class HeldAnswer implements Answer {
  private final Answer answer;
  private @Nullable Runnable given;
  private boolean free;

  HeldAnswer(Answer answer) {
    this.answer = answer;
  }

  @Override
  public int slotPlusOne() {
    return answer.slotPlusOne();
  }

  @Override
  public boolean isWaitedFor() {
    return answer.isWaitedFor();
  }

  @Override
  public void give(int status, long... values) {
    if (free) {
      answer.give(status, values);
    } else {
      given = () -> answer.give(status, values);
    }
  }

  /** Gives it, now or when it comes. */
  void letGo() {
    free = true;
    if (given != null) {
      given.run();
    }
  }
}
