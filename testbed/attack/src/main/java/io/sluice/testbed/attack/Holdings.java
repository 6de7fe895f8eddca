package io.sluice.testbed.attack;

import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The resources that the daemon holds.
 *
 * @param descriptors open ones
 * @param mappings of memory files
 * @param threads of the process
 * @param heapBytes live after a collection
 * @param files in its own directories
 */
record Holdings(long descriptors, long mappings, long threads, long heapBytes, long files) {
  private static final int COLLECTION_SECONDS = 120;

  /** More than what compiled programs and tables grow to in ordinary use. */
  private static final long HEAP_SLACK = 96L << 20;

  /** The JVM starts compiler threads as it likes. */
  private static final int THREAD_SLACK = 6;

  static Holdings of(DaemonProcess daemon) throws IOException, InterruptedException {
    Path proc = Path.of("/proc", Long.toString(daemon.pid()));
    collect(daemon.pid());
    MemoryMXBean memory =
        ManagementFactory.newPlatformMXBeanProxy(
            daemon.connection().beans(), ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
    long heap = memory.getHeapMemoryUsage().getUsed();
    try (Stream<Path> fds = Files.list(proc.resolve("fd"));
        Stream<Path> tasks = Files.list(proc.resolve("task"));
        Stream<String> maps = Files.lines(proc.resolve("maps"))) {
      return new Holdings(
          fds.count(),
          maps.filter(line -> line.contains("memfd:")).count(),
          tasks.count(),
          heap,
          files(daemon.directory()));
    }
  }

  /** One that goes while it is counted is there once more: whoever waits looks again. */
  private static long files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.count();
    } catch (UncheckedIOException _) {
      return Long.MAX_VALUE;
    }
  }

  private static void collect(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.run")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(COLLECTION_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("no collection within " + COLLECTION_SECONDS + " s");
    }
  }

  /** Whether nothing of it is left of what came since. */
  boolean isBackTo(Holdings before) {
    return descriptors <= before.descriptors
        && mappings <= before.mappings
        && threads <= before.threads + THREAD_SLACK
        && heapBytes <= before.heapBytes + HEAP_SLACK
        && files <= before.files;
  }
}
