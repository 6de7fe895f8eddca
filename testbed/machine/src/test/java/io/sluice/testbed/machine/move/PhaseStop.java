package io.sluice.testbed.machine.move;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Field;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Holds the thread that moves a guest when it has just entered a phase, by the debugger's
 * interface: what happens to a daemon, its machine or the link meanwhile happens in that phase, on
 * every run, and the product needs no hook for it. All other threads of the daemon go on.
 */
public final class PhaseStop implements AutoCloseable {
  private static final String LOG = "io.sluice.migrate.phase.PhaseLog";
  private static final Pattern PORT = Pattern.compile("transport dt_socket at address: (\\d+)");

  private final VirtualMachine vm;
  private String wanted = ""; // by this
  private @Nullable ThreadReference held; // by this

  /** A daemon's option that lets it be held; its log says at which port. */
  public static String jvmOption(String address) {
    return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=" + address + ":0";
  }

  /**
   * Attaches to a daemon that was started with {@link #jvmOption}.
   *
   * @param address the one of the option
   */
  public static PhaseStop attach(DaemonProcess daemon, String address) throws IOException {
    // One that root starts is executed twice, and says so twice.
    String log = daemon.log();
    MatchResult port =
        PORT.matcher(log)
            .results()
            .reduce((_, last) -> last)
            .orElseThrow(() -> new IOException("the daemon cannot be held:\n" + log));
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(each -> each.name().equals("com.sun.jdi.SocketAttach"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    argument(arguments, "hostname").setValue(address);
    argument(arguments, "port").setValue(port.group(1));
    try {
      return new PhaseStop(connector.attach(arguments));
    } catch (IllegalConnectorArgumentsException e) {
      throw new IOException(e);
    }
  }

  private PhaseStop(VirtualMachine vm) {
    this.vm = vm;
    Thread.ofPlatform().daemon().name("phase-stop").start(this::listen);
  }

  private static Connector.Argument argument(Map<String, Connector.Argument> all, String name) {
    return Objects.requireNonNull(all.get(name));
  }

  /**
   * From now on a migration that enters a phase is held.
   *
   * @param phase a name of {@code Phase} or {@code TargetPhase}
   */
  public void arm(String phase) {
    synchronized (this) {
      wanted = phase;
    }
    List<ReferenceType> loaded = vm.classesByName(LOG);
    if (loaded.isEmpty()) {
      ClassPrepareRequest request = vm.eventRequestManager().createClassPrepareRequest();
      request.addClassFilter(LOG);
      request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      request.enable();
    } else {
      watch(loaded.getFirst());
    }
  }

  /** At the end of the method: the phase is entered, its work has not begun. */
  private void watch(ReferenceType type) {
    Method method = type.methodsByName("transition").getFirst();
    Location last;
    try {
      last = method.allLineLocations().getLast();
    } catch (AbsentInformationException e) {
      throw new IllegalStateException("compiled without line numbers", e);
    }
    BreakpointRequest request = vm.eventRequestManager().createBreakpointRequest(last);
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    request.enable();
  }

  /**
   * Waits until one is held; those that enter other phases go on.
   *
   * @return false when none came there in time
   */
  public synchronized boolean await(Duration within) throws InterruptedException {
    long end = System.nanoTime() + within.toNanos();
    while (held == null) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private void listen() {
    try {
      while (true) {
        take(vm.eventQueue().remove());
      }
    } catch (VMDisconnectedException | InterruptedException _) {
      // The daemon has ended, or nobody wants to know.
    }
  }

  private synchronized void take(EventSet events) {
    boolean keep = false;
    for (Event event : events) {
      if (event instanceof ClassPrepareEvent prepared) {
        watch(prepared.referenceType());
      } else if (event instanceof BreakpointEvent hit && entered(hit).equals(wanted)) {
        held = hit.thread();
        keep = true;
        notifyAll();
      }
    }
    if (!keep) {
      events.resume();
    }
  }

  private static String entered(BreakpointEvent hit) {
    try {
      ObjectReference next = (ObjectReference) hit.thread().frame(0).getArgumentValues().getFirst();
      Field name =
          next.referenceType().allFields().stream()
              .filter(field ->
                  field.name().equals("name")
                      && field.declaringType().name().equals("java.lang.Enum"))
              .findFirst()
              .orElseThrow();
      return ((StringReference) next.getValue(name)).value();
    } catch (IncompatibleThreadStateException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lets the held one go on, and all that come: nobody is held any more. */
  public void release() {
    try {
      ThreadReference thread;
      synchronized (this) {
        wanted = "";
        thread = held;
        held = null;
      }
      vm.eventRequestManager().deleteAllBreakpoints();
      vm.eventRequestManager()
          .deleteEventRequests(List.copyOf(vm.eventRequestManager().classPrepareRequests()));
      if (thread != null) {
        thread.resume();
      }
    } catch (VMDisconnectedException _) {
      // It was killed.
    }
  }

  /** Whoever is still held goes on. */
  @Override
  public void close() {
    try {
      vm.dispose();
    } catch (VMDisconnectedException _) {
      // It was killed.
    }
  }
}
