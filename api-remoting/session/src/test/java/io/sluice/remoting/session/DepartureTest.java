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

  private static final Runnable NOTHING = () -> {};

  /**
   * The other host: says that it is ready whenever it is asked, until it is to go on.
   *
   * @param third what happens when it is asked for the third time
   */
  private boolean goesOn(StateLink link, Runnable third) {
    try {
      int prepared = 0;
      while (true) {
        StateItem item = link.read();
        if (item instanceof StateItem.Prepared && ++prepared == 3) {
          third.run();
        }
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

  /** A session that leaves, from its application to its other host. */
  private final class Rig implements AutoCloseable {
    final ExecutorService workers = Executors.newCachedThreadPool();
    final CompletableFuture<LinkedSession> opened = new CompletableFuture<>();
    final List<StateStage> stages = new ArrayList<>();
    final TestApplication program;
    private final StateLink here;
    private final StateLink there;
    private final Thread link;

    Rig() {
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
      link =
          new Thread(() -> {
            try (Fd socket = application.get(1)) {
              new SessionLink(settings, 1).serve(socket, opened::complete);
            }
          });
      link.start();
      program = new TestApplication(kernel, application.get(0));
      here = new StateLink(kernel, stream.get(0));
      there = new StateLink(kernel, stream.get(1));
    }

    /** Moves it. */
    Departure.Result move(Runnable third) throws Exception {
      CompletableFuture<Boolean> other =
          CompletableFuture.supplyAsync(() -> goesOn(there, third), workers);
      Departure.Result result = new Departure(opened.join(), here, stages::add).run(false);
      assertThat(other.join()).isTrue();
      assertThat(stages).endsWith(StateStage.HAND_OVER, StateStage.DONE);
      link.join();
      return result;
    }

    @Override
    public void close() {
      program.close();
      here.close();
      there.close();
      workers.shutdownNow();
    }
  }

  @Test
  void session_whoseCommandsNeedTheApplicationsNextWord_getsItAndLeaves() throws Exception {
    try (Rig rig = new Rig()) {
      assertThat(rig.program.hello()).isZero();
      assertThat(rig.program.call(PairedCallsApi.BEGIN)).isZero();
      CompletableFuture<Integer> nextWord =
          CompletableFuture.supplyAsync(
              () -> {
                await(stopped); // it is not taken before the session goes on
                return rig.program.call(PairedCallsApi.END);
              },
              rig.workers);

      Departure.Result result = rig.move(NOTHING);

      assertThat(nextWord.join()).isZero();
      assertThat(result.stoppedNs()).isPositive();
    }
  }

  /** The hold of calls that take long is not to keep the application's word from the session. */
  @Test
  void session_whoseNextWordIsBehindACallThatTakesLong_leavesAllTheSame() throws Exception {
    try (Rig rig = new Rig()) {
      assertThat(rig.program.hello()).isZero();
      assertThat(rig.program.call(PairedCallsApi.BEGIN)).isZero();

      Departure.Result _ =
          rig.move(() -> {
            rig.program.post(PairedCallsApi.LONG, 0);
            rig.program.post(PairedCallsApi.END, 0);
          });

      assertThat(rig.opened.join().session().calls()).isEqualTo(3);
    }
  }

  /** A compiler that begins to work now would be waited for while the session is stopped. */
  @Test
  void session_whoseNextCallTakesLong_leavesBeforeItIsTaken() throws Exception {
    try (Rig rig = new Rig()) {
      assertThat(rig.program.hello()).isZero();
      assertThat(rig.program.call(PairedCallsApi.LONG)).isZero();
      Session session = rig.opened.join().session();

      Departure.Result _ =
          rig.move(() -> {
            rig.program.post(PairedCallsApi.LONG, 0);
            for (int i = 0; i < 2; i++) { // looks at the ring
              assertThat(session.ask(() -> true).join()).isTrue();
            }
          });

      assertThat(session.calls()).as("the second is the other host's").isEqualTo(1);
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
