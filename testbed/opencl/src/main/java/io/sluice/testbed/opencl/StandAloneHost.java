package io.sluice.testbed.opencl;

import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.opencl.KernelOutput;
import io.sluice.remoting.opencl.OpenClApi;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.turns.DeviceTurns;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * A session host without daemon and sandbox, for tests and figures: serves OpenCL at the UNIX
 * socket of its argument until its standard input ends, and says {@value #READY} when applications
 * may connect.
 */
public final class StandAloneHost {
  /** The line that says that the socket is there. */
  public static final String READY = "ready";

  private static final int STANDARD_OUTPUT = 1;
  private static final int BACKLOG = 64;
  private static final long SHARED_BYTES = 4L << 30;
  private static final long DEVICE_BYTES = 8L << 30;

  /** Sessions leave their application's memory at once; come back again and again; come here. */
  private static final String AWAY = "away";

  private static final String SHUTTLE = "shuttle";
  private static final String FAR = "far";
  private static final Set<String> RELAY_MODES = Set.of(AWAY, SHUTTLE, FAR);

  private StandAloneHost() {}

  /**
   * Runs until standard input ends.
   *
   * @param arguments the socket's path; after how many milliseconds each session moves, from this
   *     process to this process, if at all; the socket at which this process takes sessions of
   *     another one; that of the other one, to which they move then. Or: the socket's path;
   *     milliseconds; "away" for sessions that leave their application's memory at once, "shuttle"
   *     for those that also come back, again and again; the socket of another process to which they
   *     go, if it is not this one. Or "far" as the third, and that socket
   */
  public static void main(String[] arguments) throws Exception {
    Kernel kernel = RealKernel.create();
    Fd said = kernel.dup(kernel.adopt(STANDARD_OUTPUT));
    OpenClApi api = new OpenClApi(output(kernel));
    SessionSettings settings =
        new SessionSettings(
            kernel,
            Map.of(api.number(), api),
            SHARED_BYTES,
            new MemoryAccount(() -> DEVICE_BYTES),
            DeviceTurns.alone(),
            action -> daemon("session", action),
            Executors.newFixedThreadPool(
                Runtime.getRuntime().availableProcessors(), action -> daemon("worker", action)),
            System::nanoTime);
    Fd listener = kernel.listen(Path.of(arguments[0]), BACKLOG);
    if (arguments.length > 2 && RELAY_MODES.contains(arguments[2])) {
      relay(kernel, said, settings, listener, arguments);
      return;
    }
    boolean between = arguments.length > 3;
    Shuttle shuttle =
        new Shuttle(settings, between ? Optional.of(Path.of(arguments[3])) : Optional.empty());
    daemon("accept", () -> accept(kernel, listener, shuttle::serve)).start();
    if (between) {
      Fd arrivals = kernel.listen(Path.of(arguments[2]), BACKLOG);
      daemon("arrivals", () -> accept(kernel, arrivals, shuttle::arrive)).start();
    }
    if (arguments.length > 1) {
      daemon("shuttle", () -> shuttle.run(Integer.parseInt(arguments[1]))).start();
    }
    runUntilTold(kernel, said, shuttle);
  }

  /** What kernels print comes to this process again; what it says goes where its output went. */
  private static KernelOutput output(Kernel kernel) {
    List<Fd> ends = kernel.socketpair();
    new RealSandboxKernel(kernel).becomeOutput(ends.getLast());
    ends.getLast().close();
    KernelOutput output = new KernelOutput(kernel, ends.getFirst());
    daemon("output", output).start();
    return output;
  }

  private static void relay(
      Kernel kernel, Fd said, SessionSettings settings, Fd listener, String[] arguments)
      throws Exception {
    Optional<Path> path =
        arguments.length > 3 ? Optional.of(Path.of(arguments[3])) : Optional.empty();
    boolean isFar = arguments[2].equals(FAR);
    RelayShuttle shuttle =
        new RelayShuttle(settings, arguments[2].equals(SHUTTLE), isFar ? Optional.empty() : path);
    daemon("accept", () -> accept(kernel, listener, shuttle::serve)).start();
    if (isFar) {
      Fd mirrors = kernel.listen(path.orElseThrow(), BACKLOG);
      daemon("mirrors", () -> accept(kernel, mirrors, shuttle::mirror)).start();
    }
    daemon("shuttle", () -> shuttle.run(Integer.parseInt(arguments[1]))).start();
    runUntilTold(kernel, said, shuttle);
  }

  private static void runUntilTold(Kernel kernel, Fd said, Object shuttle) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment line = arena.allocateFrom(READY + "\n");
      long _ = kernel.write(said, line.asSlice(0, line.byteSize() - 1));
    }
    while (System.in.read() >= 0) {
      // whoever started this process closes its input to end it
    }
    System.err.println(shuttle);
    Runtime.getRuntime().halt(0);
  }

  private static void accept(Kernel kernel, Fd listener, Consumer<Fd> server) {
    while (true) {
      Fd connection = kernel.accept(listener);
      daemon("link", () -> server.accept(connection)).start();
    }
  }

  static Thread daemon(String name, Runnable action) {
    return Thread.ofPlatform().daemon().name("sluice-" + name).unstarted(action);
  }
}
