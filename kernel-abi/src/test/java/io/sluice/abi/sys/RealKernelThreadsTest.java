package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The real kernel's calls about threads. */
final class RealKernelThreadsTest {
  private static final int NICE = 16; // of the fields behind the name

  private final Kernel kernel = RealKernel.create();

  /** The calling thread's nice value: proc_pid_stat(5). */
  private static int nice() throws Exception {
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[NICE]);
  }

  private static <T> T onAThread(Callable<T> action) throws Exception {
    FutureTask<T> task = new FutureTask<>(action);
    Thread.ofPlatform().start(task);
    return task.get(1, TimeUnit.MINUTES);
  }

  @Test
  void processorTime_ofAThreadThatWorks_grows() throws Exception {
    boolean grew =
        onAThread(() -> {
          long before = kernel.processorTimeNs();
          while (kernel.processorTimeNs() - before < 1_000_000) {
            Thread.onSpinWait();
          }
          return true;
        });
    assertThat(grew).isTrue();
  }

  @Test
  void processorTime_ofAThreadThatSleeps_doesNotCountThat() throws Exception {
    long sleptNs = 50_000_000;
    long had =
        onAThread(() -> {
          long before = kernel.processorTimeNs();
          for (long end = System.nanoTime() + sleptNs; System.nanoTime() - end < 0; ) {
            LockSupport.parkNanos(this, end - System.nanoTime());
          }
          return kernel.processorTimeNs() - before;
        });
    assertThat(had).isBetween(0L, sleptNs - 1);
  }

  @Test
  void giveWay_isOfTheCallingThreadAlone() throws Exception {
    int own = nice();
    int there =
        onAThread(() -> {
          kernel.giveWay(10);
          return nice();
        });
    assertThat(there).isEqualTo(Math.min(19, own + 10));
    assertThat(nice()).isEqualTo(own);
  }

  @Test
  void threadUse_ofAThreadThatTouchesNewPagesAndSleeps_countsBoth() throws Exception {
    boolean both =
        onAThread(() -> {
          ThreadUse before = kernel.threadUse();
          long pages = 64;
          try (Fd file = kernel.memfdCreate("pages", pages << 12);
              Mapping mapping =
                  kernel.mmap(file, 0, pages << 12, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
            for (long i = 0; i < pages; i++) {
              mapping.segment().set(ValueLayout.JAVA_BYTE, i << 12, (byte) 1);
            }
          }
          ThreadUse touched = kernel.threadUse();
          assertThat(touched.pageFaults()).isGreaterThanOrEqualTo(before.pageFaults() + 1);
          for (ThreadUse now = touched; now.sleeps() == touched.sleeps(); ) {
            LockSupport.parkNanos(this, 1_000_000);
            now = kernel.threadUse();
          }
          return true;
        });
    assertThat(both).isTrue();
  }

  @Test
  void sleptForAPageSince_isWhereNothingElseExplainsIt() {
    ThreadUse before = new ThreadUse(3, 4, 5);
    assertThat(new ThreadUse(4, 5, 5).sleptForAPageSince(before)).isTrue();
    assertThat(new ThreadUse(3, 5, 5).sleptForAPageSince(before)).as("no page").isFalse();
    assertThat(new ThreadUse(4, 4, 5).sleptForAPageSince(before)).as("no sleep").isFalse();
    assertThat(new ThreadUse(4, 5, 6).sleptForAPageSince(before)).as("preempted").isFalse();
  }
}
