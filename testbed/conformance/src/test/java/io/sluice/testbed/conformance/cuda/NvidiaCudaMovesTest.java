package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.MovableMemory.Moved;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.testbed.checks.LeakCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Unmodified CUDA programs whose memory moves to system memory and back while they run, and that
 * have more than fits: what they print is what they print natively.
 */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaCudaMovesTest extends RelayedPrograms {
  private static final long ALL = 1L << 50;

  /** Between two moves: programs are to get on. */
  private static final long PAUSE_NS = 20_000_000;

  @AfterEach
  void limitsAsBefore() {
    rig.overflows.set(false);
    rig.videoLimit.set(64L << 30);
  }

  /** Moves all there is to and fro until it is stopped. */
  private final class Mover implements AutoCloseable {
    private final Thread thread = Thread.ofPlatform().start(this::move);
    private volatile boolean over;
    private Moved out = Moved.NONE;
    private Moved back = Moved.NONE;
    private long longestNs;

    private void move() {
      while (!over) {
        long before = System.nanoTime();
        Moved more = rig.relay.evict(ALL, ALL);
        longestNs = Math.max(longestNs, System.nanoTime() - before);
        out = out.plus(more);
        LockSupport.parkNanos(PAUSE_NS);
        back = back.plus(rig.relay.restore(ALL, ALL));
        LockSupport.parkNanos(PAUSE_NS);
      }
    }

    @Override
    public void close() throws InterruptedException {
      over = true;
      thread.join();
      System.out.printf(
          Locale.ROOT,
          "%d pieces, %d MiB, moved away, %d back; the longest move took %d ms%n",
          out.pieces(),
          out.bytes() >> 20,
          back.pieces(),
          TimeUnit.NANOSECONDS.toMillis(longestNs));
    }
  }

  private <T> T whileMoving(Callable<T> program) throws Exception {
    Mover mover = new Mover();
    T result;
    try (mover) {
      result = program.call();
    }
    assertThat(mover.back.pieces()).isPositive();
    return result;
  }

  @ParameterizedTest
  @ValueSource(strings = {"streams", "graph", "many", "memory", "lasting"})
  void program_whoseMemoryMoves_printsWhatItPrintsNatively(String part) throws Exception {
    String[] command = {programs.toString(), part, part, part};
    CudaRig.Ended natively = rig.natively(command);
    assertThat(whileMoving(() -> rig.relayed(command))).isEqualTo(natively);
  }

  @Test
  void training_whoseMemoryMoves_hasTheLossesOfTheNativeOne() throws Exception {
    String train = train();
    CudaRig.Ended natively = rig.natively("python3", train);
    CudaRig.Ended relayed = whileMoving(() -> rig.relayed("python3", train));
    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(relayed.lines()).hasSize(2).isEqualTo(natively.lines());
  }

  /** All of it: code and stacks, too. */
  @Test
  void training_withoutAnyVideoMemory_hasTheLossesOfTheNativeOne() throws Exception {
    String train = train();
    CudaRig.Ended natively = rig.natively("python3", train);
    rig.overflows.set(true);
    rig.videoLimit.set(0);
    CudaRig.Ended relayed = rig.relayed("python3", train);
    assertThat(relayed.status()).as(relayed.output()).isZero();
    assertThat(relayed.lines()).hasSize(2).isEqualTo(natively.lines());
  }

  @Test
  void program_withMoreThanItsShare_runs() throws Exception {
    rig.overflows.set(true);
    rig.videoLimit.set(1L << 30);
    List<String> lines = rig.relayed(programs.toString(), "hold", "2048", "vec").lines();
    assertThat(lines)
        .contains("hold 2048 MiB: no error")
        .anyMatch(line -> line.startsWith("vec: wrong 0"));
  }

  /** How long a program stands still, and how much leaves. */
  @Test
  void memory_thatIsLarge_movesAtTheSpeedOfTheBus(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("out");
    Process program = rig.start(output, programs.toString(), "keep", "4096", "spin");
    try {
      SOON.until("it spins", () -> Files.readString(output).contains("spins"));
      for (int i = 0; i < 3; i++) {
        long before = System.nanoTime();
        Moved out = rig.relay.evict(4L << 30, ALL);
        long between = System.nanoTime();
        ProgramStatus status = rig.relay.programs().getFirst();
        assertThat(status.evictedBytes()).isGreaterThanOrEqualTo(4L << 30);
        Moved back = rig.relay.restore(ALL, ALL);
        long after = System.nanoTime();
        assertThat(back).isEqualTo(out);
        System.out.printf(
            Locale.ROOT,
            "%d MiB: %d ms to system memory, %d ms back%n",
            out.bytes() >> 20,
            TimeUnit.NANOSECONDS.toMillis(between - before),
            TimeUnit.NANOSECONDS.toMillis(after - between));
      }
    } finally {
      int _ = program.destroyForcibly().waitFor();
    }
  }
}
