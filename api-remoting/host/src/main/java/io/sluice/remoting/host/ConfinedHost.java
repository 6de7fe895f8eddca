package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.LinkException;
import io.sluice.remoting.control.MemoryPage;
import io.sluice.remoting.control.Order.Serve;
import io.sluice.remoting.control.Order.Stand;
import io.sluice.remoting.control.TurnPage;
import io.sluice.remoting.opencl.KernelOutput;
import io.sluice.remoting.opencl.OpenClApi;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;

/**
 * The session host within its sandbox: the composition root. Takes the listening socket from the
 * daemon and serves whoever connects, each on a thread of its own, until the daemon closes the
 * link; then the process ends, and all sessions with it.
 */
public final class ConfinedHost {
  private static final int FAILED = 1;
  private static final int ARGUMENTS = 2;
  private static final long OWN_GROUP = 0;

  private final Kernel kernel;
  private final HostControl control;
  private final Optional<OpenClApi> openCl;

  private ConfinedHost(Kernel kernel, HostControl control, Optional<OpenClApi> openCl) {
    this.kernel = kernel;
    this.control = control;
    this.openCl = openCl;
  }

  /**
   * Runs until the daemon closes the link.
   *
   * @param arguments the number of the link's descriptor; what confines this process
   */
  public static void main(String[] arguments) {
    if (arguments.length != ARGUMENTS) {
      System.err.println("session host: started by the daemon alone");
      Runtime.getRuntime().halt(FAILED);
    }
    Kernel kernel = RealKernel.create();
    Fd socket = kernel.adopt(Integer.parseInt(arguments[0]));
    Optional<OpenClApi> openCl = openCl(output(kernel));
    List<String> devices = openCl.map(OpenClApi::deviceNames).orElse(List.of());
    List<String> turns = openCl.map(OpenClApi::turnNames).orElse(List.of());
    HostControl control =
        new HostControl(new ControlLink(kernel, socket), new Serving(arguments[1], devices, turns));
    try {
      control.run(new ConfinedHost(kernel, control, openCl).new Beginning());
    } catch (LinkException | RuntimeException e) {
      System.err.println("session host: " + e);
    }
    // A session may be deep in a vendor's library, and a compiler may run for it: nothing of this
    // process and its children is worth waiting for.
    new RealSandboxKernel(kernel).killGroup(OWN_GROUP);
  }

  /** What kernels print comes to this process again. */
  private static KernelOutput output(Kernel kernel) {
    List<Fd> ends = kernel.socketpair();
    new RealSandboxKernel(kernel).becomeOutput(ends.getLast());
    ends.getLast().close();
    KernelOutput output = new KernelOutput(kernel, ends.getFirst());
    daemon("output", output).start();
    return output;
  }

  /** The OpenCL of this host, if it has one; applications are refused otherwise. */
  private static Optional<OpenClApi> openCl(KernelOutput output) {
    try {
      return Optional.of(new OpenClApi(output));
    } catch (IllegalArgumentException | LinkageError e) {
      System.err.println("session host: no OpenCL: " + e);
      return Optional.empty();
    }
  }

  /** The first order, carried out. */
  private final class Beginning implements HostControl.Beginning {
    @Override
    public HostControl.Served serve(Serve order, Fd listener, HostControl.Common common) {
      CurrentLimits limits = new CurrentLimits(order.limits());
      SessionSettings settings = settings(limits, common, 0);
      Applications applications = new LinkedApplications(settings, devices());
      HostControl.Served served = served(settings, applications, limits, order.first());
      daemon("accept", () -> accept(listener, applications, served.table())).start();
      return served;
    }

    @Override
    public HostControl.Served stand(Stand order, HostControl.Common common) {
      CurrentLimits limits = new CurrentLimits(order.limits());
      SessionSettings settings = settings(limits, common, order.host());
      return served(settings, new LinkedApplications(settings, devices()), limits, 1);
    }
  }

  /** The guest's turns, by a page that stays as long as the process, as does the other. */
  private DeviceTurns turns(HostControl.Common common) {
    HostTurns turns =
        new HostTurns(new TurnPage(map(common.turns(), TurnPage.BYTES)), control::tell);
    daemon("turns", () -> turns.serve(kernel, common.granted())).start();
    return turns;
  }

  private MemorySegment map(Fd page, long bytes) {
    Mapping mapping = kernel.mmap(page, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    page.close();
    return mapping.segment();
  }

  private HostControl.Served served(
      SessionSettings settings, Applications applications, CurrentLimits limits, long first) {
    SessionTable table =
        new SessionTable(
            kernel, applications, limits, first, System::currentTimeMillis, control::tell);
    return new HostControl.Served(
        table,
        new MoveOrders(settings, devices(), table, control::tell),
        new FarOrders(settings, devices(), table, control::tell),
        new ParkOrders(settings, table, control::tell));
  }

  private String devices() {
    return openCl.map(api -> String.join(", ", api.deviceNames())).orElse("");
  }

  private SessionSettings settings(CurrentLimits limits, HostControl.Common common, int host) {
    MemoryPage memory = new MemoryPage(map(common.memory(), MemoryPage.BYTES));
    return new SessionSettings(
        kernel,
        openCl.map(api -> Map.<Integer, RemotedApi>of(api.number(), api)).orElse(Map.of()),
        limits.now().memoryBytes(),
        new MemoryAccount(() -> limits.now().memoryBytes(), bytes -> memory.add(host, bytes)),
        turns(common),
        action -> daemon("session", action),
        Executors.newFixedThreadPool(
            Runtime.getRuntime().availableProcessors(), action -> daemon("worker", action)),
        System::nanoTime);
  }

  private void accept(Fd listener, Applications applications, SessionTable table) {
    while (true) {
      Fd connection;
      try {
        connection = kernel.accept(listener);
      } catch (SyscallException e) {
        if (e.is(Errno.ECONNABORTED)) {
          continue;
        }
        System.err.println("session host: " + e.getMessage());
        Runtime.getRuntime().halt(FAILED); // the daemon starts another
        return;
      }
      if (!table.takePlace()) {
        applications.refuse(connection);
      } else if (!begin(() -> table.serve(connection))) {
        table.givePlace();
        connection.close();
      }
    }
  }

  /** Whether there is a thread for an application: one that finds none is turned away. */
  private static boolean begin(Runnable service) {
    try {
      daemon("link", service).start();
      return true;
    } catch (OutOfMemoryError e) {
      System.err.println("session host: no thread for an application: " + e.getMessage());
      return false;
    }
  }

  private static Thread daemon(String name, Runnable action) {
    return Thread.ofPlatform().daemon().name("sluice-" + name).unstarted(action);
  }
}
