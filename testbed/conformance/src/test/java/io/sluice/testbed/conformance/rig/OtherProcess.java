package io.sluice.testbed.conformance.rig;

import io.sluice.abi.Layouts;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process that is given memory, a control page and the doorbell, opens no node of the driver, and
 * submits.
 */
public final class OtherProcess {
  private static final int AREAS = 3;

  private OtherProcess() {}

  /** Has a new process submit; returns what it printed. */
  public static List<String> submitFrom(NvidiaRig.Guest guest, int releases)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("sluice");
    Path path = directory.resolve("socket");
    try (Fd listener = guest.kernel.listen(path, 1)) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  OtherProcess.class.getName(),
                  path.toString(),
                  Integer.toString(releases))
              .redirectErrorStream(true)
              .start();
      try (Fd socket = guest.kernel.accept(listener);
          Arena arena = Arena.ofConfined()) {
        List<SharedArea> areas = guest.queue.areas();
        MemorySegment message = arena.allocate(Layouts.U64, 2 * AREAS);
        for (int i = 0; i < AREAS; i++) {
          message.setAtIndex(Layouts.U64, 2L * i, areas.get(i).offset());
          message.setAtIndex(Layouts.U64, 2L * i + 1, areas.get(i).sizeBytes());
        }
        guest.kernel.sendmsg(socket, message, areas.stream().map(SharedArea::fd).toList());
        areas.forEach(area -> area.fd().close());
        List<String> said =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        int _ = process.waitFor();
        return said;
      }
    } finally {
      Files.deleteIfExists(path);
      Files.deleteIfExists(directory);
    }
  }

  /** Socket and number of releases. */
  public static void main(String[] arguments) throws IOException {
    Kernel kernel = NvidiaRig.kernel();
    FdList fds = new FdList();
    List<MemorySegment> areas = new ArrayList<>();
    try (Fd socket = kernel.connect(Path.of(arguments[0]));
        Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(Layouts.U64, 2 * AREAS);
      long received = kernel.recvmsg(socket, message, fds);
      if (received != message.byteSize() || fds.size() != AREAS) {
        throw new IOException("not what was to come, bytes=" + received + " fds=" + fds.size());
      }
      for (int i = 0; i < AREAS; i++) {
        long offset = message.getAtIndex(Layouts.U64, 2L * i);
        long bytes = message.getAtIndex(Layouts.U64, 2L * i + 1);
        areas.add(
            kernel.mmap(fds.get(i), offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE).segment());
      }
    }
    System.out.println("nodes " + nodes());
    HopperRing ring = new HopperRing(areas.get(0), areas.get(1), areas.get(2), NvidiaRig.RING);
    int wanted = Integer.parseInt(arguments[1]);
    long[] each = measure(ring, wanted);
    System.out.println("released " + each.length + " of " + wanted);
    System.out.println(median(each));
  }

  /** Nanoseconds from submission to completion of each of so many; fewer when one does not end. */
  public static long[] measure(HopperRing ring, int wanted) {
    HopperCommands commands = new HopperCommands();
    long[] each = new long[wanted];
    for (int i = 0; i < wanted; i++) {
      long start = System.nanoTime();
      long value = ring.submitWithRelease(commands.clear());
      if (!ring.await(value, System::nanoTime, NvidiaRig.TIMEOUT_NS)) {
        return Arrays.copyOf(each, i);
      }
      each[i] = System.nanoTime() - start;
    }
    return each;
  }

  /** The median of the second half, when everything is compiled. */
  public static long median(long[] each) {
    long[] half = Arrays.copyOfRange(each, each.length / 2, each.length);
    Arrays.sort(half);
    return half[half.length / 2];
  }

  /** The driver's nodes that this process has open: what it was given, and no more. */
  private static List<String> nodes() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        if (Files.isSymbolicLink(entry)) {
          String target = Files.readSymbolicLink(entry).toString();
          if (target.contains("nvidia")) {
            found.add(target);
          }
        }
      }
    }
    return found;
  }
}
