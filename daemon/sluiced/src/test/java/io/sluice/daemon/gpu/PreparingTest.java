package io.sluice.daemon.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.Gpu;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The thread that has a card prepare, with a card that fails. */
final class PreparingTest {
  @Test
  void run_errorOfTheCard_triesAgain() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(1);
    Gpu gpu =
        (Gpu)
            Proxy.newProxyInstance(
                Gpu.class.getClassLoader(),
                new Class<?>[] {Gpu.class},
                (_, method, _) -> {
                  assertThat(method.getName()).isEqualTo("prepareMore");
                  if (calls.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("injected");
                  }
                  again.countDown();
                  return false;
                });
    Preparing preparing = new Preparing(gpu, 0);
    Thread thread = Thread.ofPlatform().daemon().start(preparing);
    while (!again.await(10, TimeUnit.MILLISECONDS)) {
      LockSupport.unpark(thread); // instead of the minute that it rests
    }
    preparing.stop();
    thread.join();
    assertThat(calls.get()).isGreaterThan(1);
  }
}
