package io.sluice.abi.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LateSignalsTest {
  private static final int SECONDS = 60;

  private final LinkedBlockingQueue<Integer> sent = new LinkedBlockingQueue<>();
  private final Semaphore mayGoOn = new Semaphore(0);

  private int next() throws InterruptedException {
    Integer number = sent.poll(SECONDS, TimeUnit.SECONDS);
    assertThat(number).isNotNull();
    return number;
  }

  private void send(int number) {
    sent.add(number);
    mayGoOn.acquireUninterruptibly();
  }

  @Test
  void send_whileOneIsUnderWay_doesNotWaitAndIsSentOnce() throws Exception {
    try (LateSignals late = new LateSignals(this::send, Thread::new)) {
      late.send(3);
      assertThat(next()).isEqualTo(3);
      late.send(63);
      late.send(63);
      late.send(0);
      assertThat(sent).isEmpty();
      mayGoOn.release(3);
      assertThat(next()).isZero();
      assertThat(next()).isEqualTo(63);
      late.send(3);
      assertThat(next()).isEqualTo(3);
      mayGoOn.release();
    }
  }

  @Test
  void signal_thatFails_doesNotKeepOthersFromBeingSent() throws Exception {
    try (LateSignals late =
        new LateSignals(
            number -> {
              sent.add(number);
              throw new AssertionError("by the test");
            },
            Thread::new)) {
      late.send(1);
      assertThat(next()).isEqualTo(1);
      late.send(2);
      assertThat(next()).isEqualTo(2);
    }
  }

  @Test
  void noThreadLeft_theNextOneTriesAgain() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (LateSignals late =
        new LateSignals(
            sent::add,
            action -> {
              if (asked.getAndIncrement() == 0) {
                throw new OutOfMemoryError("by the test");
              }
              return new Thread(action);
            })) {
      assertThatCode(() -> late.send(1)).doesNotThrowAnyException();
      late.send(2);
      assertThat(next()).isEqualTo(1);
      assertThat(next()).isEqualTo(2);
    }
  }

  @Test
  void close_endsTheThread() throws Exception {
    Thread[] made = new Thread[1];
    LateSignals late = new LateSignals(sent::add, action -> made[0] = new Thread(action));
    late.send(1);
    assertThat(next()).isEqualTo(1);
    late.close();
    made[0].join(TimeUnit.SECONDS.toMillis(SECONDS));
    assertThat(made[0].isAlive()).isFalse();
    late.send(2);
    assertThat(sent).isEmpty();
  }
}
