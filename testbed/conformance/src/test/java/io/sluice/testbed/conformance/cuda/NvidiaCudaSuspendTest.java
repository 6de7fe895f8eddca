package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.RefusedException;
import io.sluice.channel.nvidia.relay.DriverRelay;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.testbed.checks.LeakCheck;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/**
 * Unmodified CUDA programs that are suspended and resumed while they run: what they print is what
 * they print natively.
 */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaCudaSuspendTest extends RelayedPrograms {
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final long PAUSE_NS = 50_000_000;
  private static final int REPEATS = 12;

  /** Suspends and resumes whatever there is until it is stopped. */
  private final class Suspender implements AutoCloseable {
    private final List<DriverRelay> cards; // on which it goes on, in turn
    private final Thread thread = Thread.ofPlatform().unstarted(this::run);
    private volatile boolean over;
    private int times;
    private int refused;
    private long suspendNs;
    private long resumeNs;
    private boolean failed;
    private final Set<String> why = new LinkedHashSet<>();

    Suspender(List<DriverRelay> cards) {
      this.cards = cards;
      thread.start();
    }

    private void run() {
      while (!over) {
        LockSupport.parkNanos(PAUSE_NS);
        List<ProgramStatus> there = rig.relay.programs();
        if (!there.isEmpty() && there.getFirst().channels() > 0) {
          once(there.getFirst().number());
        }
      }
    }

    private void once(long number) {
      long before = System.nanoTime();
      try {
        if (!rig.relay.suspend(number, PATIENCE_NS)) {
          return;
        }
      } catch (RefusedException e) {
        refused++; // by its name, or it has left
        why.add(e.getMessage());
        return;
      }
      long between = System.nanoTime();
      try {
        boolean _ = cards.get((times + 1) % cards.size()).resumeHere(number);
      } catch (RefusedException e) {
        why.add(e.getMessage());
        failed = failed || !hasLeft(String.valueOf(e.getMessage()));
        boolean _ = rig.relay.end(number);
        return;
      }
      suspendNs += between - before;
      resumeNs += System.nanoTime() - between;
      times++;
    }

    /** By itself: what it has printed says whether it was done. */
    private static boolean hasLeft(String message) {
      return message.contains("it has left") || message.contains("the program is ended");
    }

    @Override
    public void close() throws InterruptedException {
      over = true;
      thread.join();
      System.out.printf(
          Locale.ROOT,
          "suspended and resumed %d times, refused %d times; %d and %d ms each%n",
          times,
          refused,
          TimeUnit.NANOSECONDS.toMillis(suspendNs) / Math.max(1, times),
          TimeUnit.NANOSECONDS.toMillis(resumeNs) / Math.max(1, times));
      why.forEach(System.out::println);
    }
  }

  private <T> T whileSuspended(Callable<T> program) throws Exception {
    return whileSuspended(List.of(rig.relay), program);
  }

  private <T> T whileSuspended(List<DriverRelay> cards, Callable<T> program) throws Exception {
    Suspender suspender = new Suspender(cards);
    T result;
    try (suspender) {
      result = program.call();
    }
    assertThat(suspender.failed).as(suspender.why.toString()).isFalse();
    assertThat(suspender.times).isPositive();
    return result;
  }

  @ParameterizedTest
  @ValueSource(strings = {"vec", "stack", "streams", "events", "graph", "many", "threads"})
  void program_thatIsSuspended_printsWhatItPrintsNatively(String part) throws Exception {
    String[] command =
        Stream.concat(Stream.of(programs.toString()), Collections.nCopies(REPEATS, part).stream())
            .toArray(String[]::new);
    CudaRig.Ended natively = rig.natively(command);
    assertThat(whileSuspended(() -> rig.relayed(command))).isEqualTo(natively);
  }

  /** A kernel computes on, and a copy goes on, when all is fetched that was submitted. */
  @ParameterizedTest
  @ValueSource(strings = {"lasting", "chained", "hosted", "bulky"})
  void program_whoseWorkLasts_thatIsSuspended_losesNothing(String part) throws Exception {
    String[] command = {programs.toString(), part, part};
    CudaRig.Ended natively = rig.natively(command);
    assertThat(whileSuspended(() -> rig.relayed(command))).isEqualTo(natively);
  }

  private List<DriverRelay> bothCards() {
    return List.of(
        rig.relay, rig.beside.orElseThrow(() -> new TestAbortedException("there is one GPU only")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"vec", "stack", "streams", "events", "graph", "threads"})
  void program_thatChangesItsCard_printsWhatItPrintsNatively(String part) throws Exception {
    List<DriverRelay> cards = bothCards();
    String[] command =
        Stream.concat(Stream.of(programs.toString()), Collections.nCopies(REPEATS, part).stream())
            .toArray(String[]::new);
    CudaRig.Ended natively = rig.natively(command);
    assertThat(whileSuspended(cards, () -> rig.relayed(command))).isEqualTo(natively);
  }

  @Test
  void training_thatChangesItsCard_hasTheLossesOfTheNativeOne() throws Exception {
    List<DriverRelay> cards = bothCards();
    CudaRig.Ended there = rig.natively("python3", "-c", "import torch");
    Assumptions.assumeTrue(there.status() == 0, "no PyTorch");
    String train = rig.file("train.py").toString();
    CudaRig.Ended natively = rig.natively("python3", train);
    CudaRig.Ended relayed = whileSuspended(cards, () -> rig.relayed("python3", train));
    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(relayed.lines()).hasSize(2).isEqualTo(natively.lines());
  }

  @Test
  void training_thatIsSuspended_hasTheLossesOfTheNativeOne() throws Exception {
    String train = train();
    CudaRig.Ended natively = rig.natively("python3", train);
    CudaRig.Ended relayed = whileSuspended(() -> rig.relayed("python3", train));
    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(relayed.lines()).hasSize(2).isEqualTo(natively.lines());
  }
}
