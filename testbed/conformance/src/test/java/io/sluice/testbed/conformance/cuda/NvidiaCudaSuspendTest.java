package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.RefusedException;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.testbed.checks.LeakCheck;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    private final Thread thread = Thread.ofPlatform().start(this::run);
    private volatile boolean over;
    private int times;
    private int refused;
    private long suspendNs;
    private long resumeNs;

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
      try {
        long before = System.nanoTime();
        if (rig.relay.suspend(number, PATIENCE_NS)) {
          long between = System.nanoTime();
          boolean _ = rig.relay.resume(number);
          suspendNs += between - before;
          resumeNs += System.nanoTime() - between;
          times++;
        }
      } catch (RefusedException e) {
        refused++; // by its name, or it has left
        System.out.println(e.getMessage());
        assertThat(e).hasMessageNotContaining("does not come to where it was");
      }
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
    }
  }

  private <T> T whileSuspended(Callable<T> program) throws Exception {
    Suspender suspender = new Suspender();
    T result;
    try (suspender) {
      result = program.call();
    }
    assertThat(suspender.times).isPositive();
    return result;
  }

  @ParameterizedTest
  @ValueSource(strings = {"vec", "stack", "streams", "events", "graph", "many"})
  void program_thatIsSuspended_printsWhatItPrintsNatively(String part) throws Exception {
    String[] command =
        Stream.concat(Stream.of(programs.toString()), Collections.nCopies(REPEATS, part).stream())
            .toArray(String[]::new);
    CudaRig.Ended natively = rig.natively(command);
    assertThat(whileSuspended(() -> rig.relayed(command))).isEqualTo(natively);
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
