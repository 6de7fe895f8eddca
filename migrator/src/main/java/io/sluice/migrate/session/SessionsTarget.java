package io.sluice.migrate.session;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.StateMachine;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine that comes with its sessions; one thread calls it, as it does the machine. {@link
 * ComingStage} has the stages.
 */
public final class SessionsTarget implements TargetMachine {
  private final TargetMachine machine;
  private final Supplier<Optional<MachineSessions>> device;
  private final Supplier<RamTransport.Target> ways;
  private final Kernel kernel;
  private final ThreadFactory threads;
  private final StateMachine<ComingStage, Coming> life =
      new StateMachine<>("machine that comes with sessions", new Alone(ComingStage.OPEN));

  /** The states, each with what it must know. */
  private sealed interface Coming extends StateMachine.State<ComingStage> {
    /** The sessions that come; null where there can be none. */
    default @Nullable ArrivingSessions arriving() {
      return null;
    }
  }

  /** {@link ComingStage#OPEN}, {@link ComingStage#ALONE}: there are none. */
  private record Alone(ComingStage stage) implements Coming {}

  /** {@link ComingStage#COMING} and both ends. */
  private record Together(ComingStage stage, @Nullable ArrivingSessions arriving)
      implements Coming {}

  /**
   * {@link ComingStage#KNOWN}.
   *
   * @param handles of those that go on
   */
  private record Known(@Nullable ArrivingSessions arriving, Set<Integer> handles)
      implements Coming {
    @Override
    public ComingStage stage() {
      return ComingStage.KNOWN;
    }
  }

  /**
   * @param machine owned
   * @param device the sessions of the guest's device, none where it may have none
   * @param ways makes the way of the sessions' streams
   */
  public SessionsTarget(
      TargetMachine machine,
      Supplier<Optional<MachineSessions>> device,
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
      ByteBuffer answer = machine.prepare(source);
      life.enter(new Alone(ComingStage.ALONE), "the source knows nothing of sessions");
      return answer;
    }
    SessionMessages.Described described = SessionMessages.described(source);
    Optional<MachineSessions> sessions = device.get();
    if (described.sessions() > 0 && sessions.isEmpty()) {
      throw new RefusedException(
          MigrationCode.SESSIONS,
          Errno.EOPNOTSUPP,
          "the guest has API sessions, and may have none at the destination, sessions="
              + described.sessions(),
          "Set opencl in its [[guest]] at the destination.");
    }
    ByteBuffer answer = machine.prepare(described.machine());
    ArrivingSessions arriving = sessions.map(this::arriving).orElse(null);
    life.enter(new Together(ComingStage.COMING, arriving), "there is room for them");
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
    ArrivingSessions arriving = life.state().arriving();
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
    if (life.stage() == ComingStage.ALONE) {
      return machine.restore(parts);
    }
    if (life.state() instanceof Together(ComingStage _, ArrivingSessions arriving)) {
      Set<Integer> handles =
          SessionMessages.handles(
              parts.isEmpty() ? ByteBuffer.allocate(0) : parts.getLast().duplicate());
      requireThere(arriving, handles);
      life.enter(new Known(arriving, handles), "all have come that go on");
    }
    return machine.restore(parts.subList(0, parts.size() - 1));
  }

  private static void requireThere(@Nullable ArrivingSessions arriving, Set<Integer> wanted) {
    if (!wanted.isEmpty() && (arriving == null || !arriving.hasAll(wanted))) {
      throw new RefusedException(
          MigrationCode.SESSIONS,
          Errno.EPROTO,
          "the machine has API sessions that did not come, sessions=" + wanted.size(),
          "");
    }
  }

  /** The sessions are told once, however often the machine is resumed. */
  @Override
  public void resume() {
    if (life.stage() != ComingStage.GOING_ON) {
      if (life.state() instanceof Known(ArrivingSessions arriving, Set<Integer> handles)
          && arriving != null) {
        arriving.goOn(handles);
      }
      life.enter(
          new Together(ComingStage.GOING_ON, life.state().arriving()), "the machine is here");
    }
    machine.resume();
  }

  @Override
  public void abort() {
    ArrivingSessions arriving = life.state().arriving();
    if (arriving != null) {
      arriving.goOn(Set.of());
    }
    life.enter(new Together(ComingStage.GIVEN_UP, arriving), "the machine does not come");
    machine.abort();
  }

  @Override
  public void setWaker(Runnable waker) {
    machine.setWaker(waker);
  }

  @Override
  public void close() {
    ArrivingSessions arriving = life.state().arriving();
    if (arriving != null) {
      arriving.close();
    }
    machine.close();
  }
}
