package io.sluice.gpu.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.abi.sys.ThreadUse;
import io.sluice.gpu.engine.ThreadMeter;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The multiprocessors' time between the grids of several opens. A grid is a task that ends and
 * comes again; the clock is the test's, and threads run only as far as it says.
 */
@ExtendWith(Seeds.class)
final class FairExecutorTest {
  private static final int MAX_TASK_NS = 400_000;
  private static final int ENDS = 4000;

  /** A GPU's threads: which of the tasks that run ends next is decided by their times. */
  private static final class Threads implements Executor {
    final int count;
    final Queue<Runnable> handedOver = new ArrayDeque<>();
    final List<Task> running = new ArrayList<>();
    final SynchronousQueue<Task> begun = new SynchronousQueue<>();
    long nowNs = 1_000_000;
    long idleNs;

    Threads(int count) {
      this.count = count;
    }

    @Override
    public void execute(Runnable work) {
      handedOver.add(work); // by the test, or by a task while the test waits for it
    }

    /** Every thread that has nothing to do gets something, if there is something. */
    void fill() throws InterruptedException {
      while (running.size() < count && !handedOver.isEmpty()) {
        Thread thread = Thread.ofPlatform().daemon().start(handedOver.remove());
        Task task = begun.take();
        task.thread = thread;
        running.add(task);
      }
    }

    /** The time goes on to where the next task ends, and it does. */
    void next() throws InterruptedException {
      fill();
      Task first = running.stream().min(Comparator.comparingLong(t -> t.endNs)).orElseThrow();
      idleNs += (count - running.size()) * (first.endNs - nowNs);
      nowNs = first.endNs;
      running.remove(first);
      first.mayEnd.release();
      first.thread.join();
    }

    void finish() throws InterruptedException {
      while (!running.isEmpty() || !handedOver.isEmpty()) {
        next();
      }
    }
  }

  /** A part of a grid. */
  private static final class Task {
    final Semaphore mayEnd = new Semaphore(0);
    final long endNs;
    Thread thread = Thread.currentThread();

    Task(long endNs) {
      this.endNs = endNs;
    }
  }

  /** Grids of one open that never end, until they are told to. */
  private final class Load {
    final TimeShare share = new TimeShare();
    final Executor executor;
    volatile boolean ended;

    Load(FairExecutor fair, int weight, int grids, RandomGenerator random) {
      share.setWeight(weight);
      executor = fair.of(share);
      for (int i = 0; i < grids; i++) {
        executor.execute(() -> turn(random));
      }
    }

    private void turn(RandomGenerator random) {
      Task task = new Task(threads.nowNs + random.nextInt(1, MAX_TASK_NS));
      try {
        threads.begun.put(task);
        task.mayEnd.acquire();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      if (!ended) {
        executor.execute(() -> turn(random));
      }
    }

    long usedNs() {
      return share.multiprocessors().usedNs();
    }
  }

  private Threads threads = new Threads(1);

  private FairExecutor executor(int count) {
    threads = new Threads(count);
    return new FairExecutor(
        threads, () -> threads.nowNs, new ThreadMeter(() -> threads.nowNs, () -> ThreadUse.NONE));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, 1, 1, 0.5",
    "1, 1, 3, 1, 1, 0.25",
    "1, 1, 3, 8, 1, 0.25",
    "1, 7, 1, 1, 5, 0.875",
    "2, 1, 3, 4, 4, 0.25",
    "4, 1, 3, 8, 16, 0.25",
    "1, 1024, 1, 1, 1, 0.999",
  })
  void grids_ofTwoOpens_getThreadsByTheirWeightsNotTheirNumber(
      int threadCount,
      int weightA,
      int weightB,
      int gridsA,
      int gridsB,
      double expected,
      RandomGenerator random)
      throws Exception {
    FairExecutor fair = executor(threadCount);
    Load a = new Load(fair, weightA, gridsA, random);
    Load b = new Load(fair, weightB, gridsB, random);
    for (int i = 0; i < ENDS; i++) {
      threads.next();
    }
    assertThat((double) a.usedNs() / (a.usedNs() + b.usedNs())).isCloseTo(expected, within(0.03));
    assertThat(threads.idleNs).as("idle while somebody waits").isZero();
    a.ended = true;
    b.ended = true;
    threads.finish();
  }

  /** Grids come and go; a thread has nothing to do only when no task waits for one. */
  @Test
  void threads_whileAnyTaskWaits_areNeverIdle(RandomGenerator random) throws Exception {
    FairExecutor fair = executor(3);
    List<Load> loads = new ArrayList<>();
    for (int i = 0; i < ENDS; i++) {
      if (loads.isEmpty() || random.nextInt(20) == 0) {
        loads.add(new Load(fair, random.nextInt(1, 1025), random.nextInt(1, 4), random));
      }
      if (loads.size() > 1 && random.nextInt(20) == 0) {
        loads.remove(random.nextInt(loads.size())).ended = true;
      }
      threads.fill();
      assertThat(threads.running.size() == 3 || threads.handedOver.isEmpty()).isTrue();
      if (!threads.running.isEmpty()) {
        threads.next();
      }
    }
    loads.forEach(load -> load.ended = true);
    threads.finish();
    assertThat(threads.handedOver).isEmpty();
  }

  @Test
  void open_thatRested_savesNothingUp(RandomGenerator random) throws Exception {
    FairExecutor fair = executor(1);
    Load busy = new Load(fair, 1, 1, random);
    for (int i = 0; i < ENDS; i++) {
      threads.next();
    }
    long before = busy.usedNs();
    Load late = new Load(fair, 1, 1, random);
    for (int i = 0; i < ENDS; i++) {
      threads.next();
    }
    assertThat((double) late.usedNs() / (busy.usedNs() - before)).isCloseTo(1, within(0.05));
    busy.ended = true;
    late.ended = true;
    threads.finish();
  }

  /** Two threads, both with one open's tasks, which do not end. */
  @Test
  void heldUp_tasksThatDoNotEnd_countWhileAnotherOpenWaits(RandomGenerator random)
      throws Exception {
    FairExecutor fair = executor(2);
    Load stuck = new Load(fair, 1, 2, random);
    threads.fill();
    long later = threads.nowNs + 11_000_000;
    assertThat(fair.heldUp(later)).as("nobody else waits").isZero();
    Load waiting = new Load(fair, 1, 1, random);
    assertThat(fair.heldUp(threads.nowNs + 9_000_000)).as("a task may take so long").isZero();

    assertThat(fair.heldUp(later)).isEqualTo(2);

    stuck.ended = true;
    waiting.ended = true;
    threads.finish();
    assertThat(fair.heldUp(later)).isZero();
  }

  private ThreadUse use = ThreadUse.NONE;
  private long nowNs = 1_000_000;
  private long processorNow;

  /** A task that takes so long, of which the thread has so much of its processor. */
  private Runnable task(long tookNs, long processorNs, boolean slept) {
    return () -> {
      nowNs += tookNs;
      processorNow += processorNs;
      use = new ThreadUse(use.pageFaults() + 1, use.sleeps() + (slept ? 1 : 0), 0);
    };
  }

  /** What an open's tasks slept for pages is as if they had used it, once that is known. */
  @Test
  void tasks_thatSleepForPages_areChargedWithThatAndSoonHeldUp() {
    Queue<Runnable> handedOver = new ArrayDeque<>();
    FairExecutor fair =
        new FairExecutor(
            handedOver::add, () -> nowNs, new ThreadMeter(() -> processorNow, () -> use));
    TimeShare sleeper = new TimeShare();
    Executor ofSleeper = fair.of(sleeper);

    ofSleeper.execute(task(3_000_000, 1000, true));
    handedOver.remove().run();
    assertThat(sleeper.multiprocessors().usedNs()).as("not known yet").isEqualTo(1000);
    ofSleeper.execute(task(3_000_000, 1000, false));
    handedOver.remove().run();
    assertThat(sleeper.multiprocessors().usedNs()).as("it did not sleep").isEqualTo(2000);
    ofSleeper.execute(task(3_000_000, 1000, true));
    handedOver.remove().run();
    assertThat(sleeper.multiprocessors().usedNs()).isEqualTo(3_002_000);

    for (int i = 0; i < 3; i++) {
      ofSleeper.execute(task(3_000_000, 1000, true));
      handedOver.remove().run();
    }
    AtomicInteger heldUp = new AtomicInteger();
    ofSleeper.execute(() -> {
      assertThat(fair.heldUp(nowNs + 2_000_000)).as("nobody waits").isZero();
      fair.of(new TimeShare()).execute(() -> {});
      assertThat(fair.heldUp(nowNs)).as("a part of a grid may take so long").isZero();
      heldUp.set(fair.heldUp(nowNs + 2_000_000));
    });
    handedOver.remove().run();
    assertThat(heldUp).hasValue(1);
  }
}
