package io.sluice.testbed.conformance.nvidia;

import io.sluice.abi.Layouts;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.testbed.conformance.rig.BusyGuest;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The process that a guest moves to. It is given the guest's memory and a file for the bytes of
 * video memory, answers with control page and doorbell, and is told what to do in single messages.
 */
final class MigrationTarget implements AutoCloseable {
  private static final long MESSAGE = 64;
  private static final long COPY_IN_AND_RESTORE = 1;
  private static final long COPY_OUT = 2;
  private static final long END = 3;

  private static final VarHandle PROGRESS = Layouts.U64.varHandle();

  private final Kernel kernel = NvidiaRig.kernel();
  private final MemorySegment ram;
  private final Arena arena = Arena.ofShared();
  private final Path directory;
  private final Process process;
  private final Fd socket;
  private final MemorySegment message = arena.allocate(MESSAGE);
  private final BusyGuest.Pages pages;

  /**
   * Starts it.
   *
   * @param views for what the guest and this end use of it
   * @param card index of the GPU
   * @param prepare whether it builds the channel now
   */
  MigrationTarget(Views views, Fd ram, Fd file, boolean computes, boolean prepare, int card)
      throws IOException {
    this.ram = views.map(ram, 0, BusyGuest.RAM_BYTES);
    directory = Files.createTempDirectory("sluice");
    Path path = directory.resolve("socket");
    try (Fd listener = kernel.listen(path, 1)) {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  MigrationTarget.class.getName(),
                  path.toString(),
                  Boolean.toString(computes),
                  Boolean.toString(prepare),
                  Integer.toString(card))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.INHERIT)
              .start();
      socket = kernel.accept(listener);
    }
    kernel.sendmsg(socket, message, List.of(ram, file));
    FdList fds = new FdList();
    receive(fds);
    List<MemorySegment> areas = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      long offset = message.getAtIndex(Layouts.U64, 2L * i);
      long bytes = message.getAtIndex(Layouts.U64, 2L * i + 1);
      areas.add(views.map(fds.get(i), offset, bytes));
    }
    fds.closeAll();
    pages = new BusyGuest.Pages(areas.get(0), areas.get(1));
  }

  BusyGuest.Pages pages() {
    return pages;
  }

  /**
   * Goes on with the guest. Video memory is taken from the file while it comes there.
   *
   * @param from whose video memory it is
   * @return nanoseconds of the copy there, and of the rest
   */
  long[] restore(byte[] state, Seat from) throws IOException {
    PROGRESS.setRelease(ram, BusyGuest.PROGRESS, 0L);
    message.set(Layouts.U64, 0, COPY_IN_AND_RESTORE);
    message.set(Layouts.U64, 8, state.length);
    MemorySegment.copy(state, 0, message, ValueLayout.JAVA_BYTE, 16, state.length);
    kernel.sendmsg(socket, message, List.of());
    from.copyOut(bytes -> PROGRESS.setRelease(ram, BusyGuest.PROGRESS, bytes));
    receive(new FdList());
    return new long[] {message.get(Layouts.U64, 8), message.get(Layouts.U64, 16)};
  }

  /** Has the video memory in the file. */
  void copyOut() throws IOException {
    message.set(Layouts.U64, 0, COPY_OUT);
    ask();
  }

  private void ask() throws IOException {
    kernel.sendmsg(socket, message, List.of());
    receive(new FdList());
  }

  private void receive(FdList fds) throws IOException {
    if (kernel.recvmsg(socket, message, fds) != MESSAGE) {
      throw new IOException("the target is gone, exit=" + process);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    message.set(Layouts.U64, 0, END);
    kernel.sendmsg(socket, message, List.of());
    int _ = process.waitFor();
    socket.close();
    arena.close();
    Files.deleteIfExists(directory.resolve("socket"));
    Files.deleteIfExists(directory);
  }

  /** The other process: socket, whether it computes, whether to prepare, the card. */
  public static void main(String[] arguments) throws IOException {
    Kernel kernel = NvidiaRig.kernel();
    FdList fds = new FdList();
    try (Fd socket = kernel.connect(Path.of(arguments[0]));
        Arena arena = Arena.ofConfined();
        Views views = new Views();
        NvidiaGpu gpu = NvidiaRig.open(Integer.parseInt(arguments[3]))) {
      MemorySegment message = arena.allocate(MESSAGE);
      if (kernel.recvmsg(socket, message, fds) != MESSAGE || fds.size() != 2) {
        throw new IOException("not what was to come, fds=" + fds.size());
      }
      try (Seat seat = new Seat(gpu, fds.get(0), fds.get(1), Boolean.parseBoolean(arguments[1]))) {
        if (Boolean.parseBoolean(arguments[2])) {
          seat.prepare();
        }
        List<SharedArea> areas = seat.areas();
        for (int i = 0; i < 2; i++) {
          message.setAtIndex(Layouts.U64, 2L * i, areas.get(i).offset());
          message.setAtIndex(Layouts.U64, 2L * i + 1, areas.get(i).sizeBytes());
        }
        kernel.sendmsg(socket, message, areas.stream().map(SharedArea::fd).toList());
        areas.forEach(area -> area.fd().close());
        serve(kernel, socket, message, seat, views.map(fds.get(0), 0, BusyGuest.RAM_BYTES));
      }
    } finally {
      fds.closeAll();
    }
  }

  private static void serve(
      Kernel kernel, Fd socket, MemorySegment message, Seat seat, MemorySegment ram) {
    while (kernel.recvmsg(socket, message, new FdList()) == MESSAGE) {
      long wanted = message.get(Layouts.U64, 0);
      if (wanted == END) {
        return;
      } else if (wanted == COPY_OUT) {
        seat.copyOut();
      } else {
        long start = System.nanoTime();
        seat.copyIn(() -> (long) PROGRESS.getAcquire(ram, BusyGuest.PROGRESS));
        long copied = System.nanoTime();
        byte[] state =
            message.asSlice(16, message.get(Layouts.U64, 8)).toArray(ValueLayout.JAVA_BYTE);
        seat.channel.restoreState(state);
        seat.channel.resume();
        message.set(Layouts.U64, 8, copied - start);
        message.set(Layouts.U64, 16, System.nanoTime() - copied);
      }
      kernel.sendmsg(socket, message, List.of());
    }
  }
}
