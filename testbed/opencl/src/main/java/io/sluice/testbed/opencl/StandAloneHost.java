package io.sluice.testbed.opencl;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.opencl.OpenClApi;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A session host without daemon and sandbox, for tests and figures: serves OpenCL at the UNIX
 * socket of its argument until its standard input ends, and says {@value #READY} when applications
 * may connect.
 */
public final class StandAloneHost {
  /** The line that says that the socket is there. */
  public static final String READY = "ready";

  private static final int BACKLOG = 64;
  private static final long SHARED_BYTES = 4L << 30;
  private static final long DEVICE_BYTES = 8L << 30;

  private StandAloneHost() {}

  /**
   * Runs until standard input ends.
   *
   * @param arguments the socket's path
   */
  public static void main(String[] arguments) throws Exception {
    Kernel kernel = RealKernel.create();
    OpenClApi api = new OpenClApi();
    SessionSettings settings =
        new SessionSettings(
            kernel,
            Map.of(api.number(), api),
            SHARED_BYTES,
            new MemoryAccount(() -> DEVICE_BYTES),
            action -> daemon("session", action),
            Executors.newFixedThreadPool(
                Runtime.getRuntime().availableProcessors(), action -> daemon("worker", action)),
            System::nanoTime);
    Fd listener = kernel.listen(Path.of(arguments[0]), BACKLOG);
    daemon("accept", () -> accept(kernel, listener, settings)).start();
    System.out.println(READY);
    while (System.in.read() >= 0) {
      // whoever started this process closes its input to end it
    }
    Runtime.getRuntime().halt(0);
  }

  private static void accept(Kernel kernel, Fd listener, SessionSettings settings) {
    AtomicLong numbers = new AtomicLong();
    while (true) {
      Fd connection = kernel.accept(listener);
      daemon("link", () -> serve(settings, numbers.incrementAndGet(), connection)).start();
    }
  }

  private static void serve(SessionSettings settings, long number, Fd connection) {
    try (connection) {
      new SessionLink(settings, number).serve(connection, (_, _) -> {});
    }
  }

  private static Thread daemon(String name, Runnable action) {
    return Thread.ofPlatform().daemon().name("sluice-" + name).unstarted(action);
  }
}
