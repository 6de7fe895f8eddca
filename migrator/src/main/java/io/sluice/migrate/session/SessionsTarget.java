package io.sluice.migrate.session;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A machine that comes with its sessions; one thread calls it, as it does the machine. */
public final class SessionsTarget implements TargetMachine {
  private final TargetMachine machine;
  private final GuestDevice device;
  private final Supplier<RamTransport.Target> ways;
  private final Kernel kernel;
  private final ThreadFactory threads;
  private boolean extended; // the source's sessions come, if it has any
  private @Nullable ArrivingSessions arriving;
  private @Nullable Set<Integer> handles; // of those that go on
  private boolean sessionsGoOn; // told once, however often the machine is resumed

  /**
   * @param machine owned
   * @param ways makes the way of the sessions' streams
   */
  public SessionsTarget(
      TargetMachine machine,
      GuestDevice device,
      Supplier<RamTransport.Target> ways,
      Kernel kernel,
      ThreadFactory threads) {
    this.machine = machine;
    this.device = device;
    this.ways = ways;
    this.kernel = kernel;
    this.threads = threads;
  }

  @Override
  public ByteBuffer prepare(ByteBuffer source) {
    if (!SessionMessages.isOfSessions(source)) {
      return machine.prepare(source);
    }
    SessionMessages.Described described = SessionMessages.described(source);
    extended = true;
    Optional<MachineSessions> sessions = device.sessions();
    if (described.sessions() > 0 && sessions.isEmpty()) {
      throw new RefusedException(
          MigrationCode.SESSIONS,
          Errno.EOPNOTSUPP,
          "the guest has API sessions, and may have none at the destination, sessions="
              + described.sessions(),
          "Set opencl in its [[guest]] at the destination.");
    }
    ByteBuffer answer = machine.prepare(described.machine());
    if (sessions.isPresent()) {
      arriving = arriving(sessions.get());
    }
    ByteBuffer address = arriving == null ? ByteBuffer.allocate(0) : arriving.way().address();
    return SessionMessages.answer(address, answer);
  }

  /** A way that nobody listens at would be waited for without end. */
  private ArrivingSessions arriving(MachineSessions sessions) {
    RamTransport.Target way = ways.get();
    try {
      return new ArrivingSessions(kernel, sessions, way, threads);
    } catch (RuntimeException | Error e) {
      way.close();
      throw e;
    }
  }

  @Override
  public void tell(ByteBuffer message) {
    machine.tell(message);
  }

  /** It is not complete before its sessions are, where nobody else waits for them. */
  @Override
  public MachineProgress progress() {
    MachineProgress now = machine.progress();
    if (arriving == null) {
      return now;
    }
    RamTransport.Target way = arriving.way();
    return way.refusal()
        .map(why -> new MachineProgress(State.FAILED, 0, 0, 0, 0, why))
        .orElseGet(() ->
            now.state() == State.COMPLETED && !way.isThrough()
                ? MachineProgress.of(State.COPYING)
                : now);
  }

  @Override
  public boolean restore(List<ByteBuffer> parts) {
    if (!extended) {
      return machine.restore(parts);
    }
    if (handles == null) {
      handles =
          SessionMessages.handles(
              parts.isEmpty() ? ByteBuffer.allocate(0) : parts.getLast().duplicate());
      requireThere(handles);
    }
    return machine.restore(parts.subList(0, parts.size() - 1));
  }

  private void requireThere(Set<Integer> wanted) {
    if (!wanted.isEmpty() && (arriving == null || !arriving.hasAll(wanted))) {
      throw new RefusedException(
          MigrationCode.SESSIONS,
          Errno.EPROTO,
          "the machine has API sessions that did not come, sessions=" + wanted.size(),
          "");
    }
  }

  @Override
  public void resume() {
    if (arriving != null && !sessionsGoOn) {
      arriving.goOn(handles == null ? Set.of() : handles);
      sessionsGoOn = true;
    }
    machine.resume();
  }

  @Override
  public void abort() {
    if (arriving != null) {
      arriving.goOn(Set.of());
    }
    machine.abort();
  }

  @Override
  public void setWaker(Runnable waker) {
    machine.setWaker(waker);
  }

  @Override
  public void close() {
    if (arriving != null) {
      arriving.close();
    }
    machine.close();
  }
}
