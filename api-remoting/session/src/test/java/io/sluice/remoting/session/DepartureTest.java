package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.turns.DeviceTurns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Sessions that leave for another host, of which there is only the end of the stream here. */
final class DepartureTest {
  private final Kernel kernel = RealKernel.create();
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** The other host: says that it is ready whenever it is asked, until it is to go on. */
  private boolean goesOn(StateLink link) {
    try {
      while (true) {
        StateItem item = link.read();
        if (item instanceof StateItem.Prepared || item instanceof StateItem.Complete) {
          link.write(new StateItem.Ready());
          link.flush();
        } else if (item instanceof StateItem.Go) {
          return true;
        }
      }
    } catch (StateException ended) {
      return false;
    }
  }

  @Test
  void session_whoseCommandsNeedTheApplicationsNextWord_getsItAndLeaves() throws Exception {
    ExecutorService workers = Executors.newCachedThreadPool();
    List<Fd> application = kernel.socketpair();
    List<Fd> stream = kernel.socketpair();
    SessionSettings settings =
        new SessionSettings(
            kernel,
            Map.of(PairedCallsApi.NUMBER, new PairedCallsApi(stopped::countDown)),
            1 << 20,
            new MemoryAccount(() -> 0),
            DeviceTurns.alone(),
            Thread::new,
            workers,
            System::nanoTime);
    CompletableFuture<LinkedSession> opened = new CompletableFuture<>();
    Thread link =
        new Thread(() -> {
          try (Fd socket = application.get(1)) {
            new SessionLink(settings, 1).serve(socket, opened::complete);
          }
        });
    link.start();
    try (TestApplication program = new TestApplication(kernel, application.get(0));
        StateLink here = new StateLink(kernel, stream.get(0));
        StateLink there = new StateLink(kernel, stream.get(1))) {
      assertThat(program.hello()).isZero();
      assertThat(program.call(PairedCallsApi.BEGIN)).isZero();
      CompletableFuture<Boolean> other =
          CompletableFuture.supplyAsync(() -> goesOn(there), workers);
      CompletableFuture<Integer> nextWord =
          CompletableFuture.supplyAsync(
              () -> {
                await(stopped); // it is not taken before the session goes on
                return program.call(PairedCallsApi.END);
              },
              workers);
      List<StateStage> stages = new ArrayList<>();

      Departure.Result result = new Departure(opened.join(), here, stages::add).run(false);

      assertThat(nextWord.join()).isZero();
      assertThat(other.join()).isTrue();
      assertThat(stages).endsWith(StateStage.HAND_OVER, StateStage.DONE);
      assertThat(result.stoppedNs()).isPositive();
      link.join();
    } finally {
      workers.shutdownNow();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
