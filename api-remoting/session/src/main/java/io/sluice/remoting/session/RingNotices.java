package io.sluice.remoting.session;

import static io.sluice.remoting.session.RingLayout.NOTICES;
import static io.sluice.remoting.session.RingLayout.NOTICES_WAIT;
import static io.sluice.remoting.session.RingLayout.NOTICE_BYTES;
import static io.sluice.remoting.session.RingLayout.NOTICE_COUNT;
import static io.sluice.remoting.session.RingLayout.NOTICE_HEAD;
import static io.sluice.remoting.session.RingLayout.NOTICE_SLEEPING;
import static io.sluice.remoting.session.RingLayout.NOTICE_TAIL;
import static io.sluice.remoting.session.RingLayout.WORD;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The ring of what the application is told without having asked in that moment. What does not fit
 * waits here, at most {@link #MOST_WAITING}: each was asked for by a call, and objects are limited.
 * Text is not; of that what is beyond {@link #MOST_WITH_TEXT} is lost. Belongs to the session's
 * thread.
 */
final class RingNotices implements Notices {
  private static final int MOST_WAITING = 1 << 17;
  private static final int MOST_WITH_TEXT = 1 << 16;

  private final MemorySegment memory;
  private final SessionSignals.Wakeup application;
  private final Queue<long[]> waiting = new ArrayDeque<>();
  private int head;
  private int waits = -1; // as the application was told
  private boolean held; // another host writes the ring

  RingNotices(MemorySegment memory, SessionSignals.Wakeup application) {
    this.memory = memory;
    this.application = application;
  }

  @Override
  public void tell(int kind, int status, int index) {
    add(kind, status, index);
    int _ = write();
  }

  @Override
  public int write() {
    int written = 0;
    while (!held
        && !waiting.isEmpty()
        && head - (int) WORD.getAcquire(memory, NOTICE_TAIL) < NOTICE_COUNT) {
      long[] notice = waiting.remove();
      long at = NOTICES + (head & (NOTICE_COUNT - 1)) * NOTICE_BYTES;
      memory.set(ValueLayout.JAVA_INT, at, (int) notice[0]);
      memory.set(ValueLayout.JAVA_INT, at + 4, (int) notice[1]);
      memory.set(ValueLayout.JAVA_INT, at + 8, (int) notice[2]);
      head++;
      written++;
    }
    if (written > 0) {
      WORD.setVolatile(memory, NOTICE_HEAD, head);
      if ((int) WORD.getAndSet(memory, NOTICE_SLEEPING, 0) != 0) {
        application.wake(memory.asSlice(NOTICE_SLEEPING, Integer.BYTES));
      }
    }
    sayWhetherAnyWait();
    return written;
  }

  private void sayWhetherAnyWait() {
    int now = waiting.isEmpty() ? 0 : 1;
    if (now != waits) {
      waits = now;
      WORD.setVolatile(memory, NOTICES_WAIT, now);
    }
  }

  @Override
  public void hold(boolean hold) {
    held = hold;
  }

  @Override
  public int head() {
    return head;
  }

  @Override
  public List<long[]> waiting() {
    return List.copyOf(waiting);
  }

  @Override
  public void goOn(int written) {
    head = written;
  }

  @Override
  public void add(int kind, int status, int index) {
    if ((kind & 0xffff) == TEXT && waiting.size() >= MOST_WITH_TEXT) {
      return;
    }
    if (waiting.size() >= MOST_WAITING) {
      throw new ProtocolException(
          io.sluice.abi.Errno.ENOBUFS, "notices are not taken, waiting=" + waiting.size());
    }
    waiting.add(new long[] {kind, status, index});
  }

  @Override
  public boolean areWaiting() {
    return !waiting.isEmpty();
  }
}
