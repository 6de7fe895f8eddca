package io.sluice.daemon.migration;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.guest.Guest;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.migrate.checkpoint.CheckpointCode;
import io.sluice.migrate.checkpoint.CheckpointReader;
import io.sluice.migrate.checkpoint.CheckpointWriter;
import io.sluice.migrate.checkpoint.FilePlace;
import io.sluice.migrate.checkpoint.MachineCheckpoint;
import io.sluice.migrate.checkpoint.ProcessCheckpoint;
import io.sluice.migrate.checkpoint.SessionAllowance;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import io.sluice.migrate.engine.MigrationSettings.OnTimeout;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.qemu.QemuSource;
import io.sluice.migrate.qemu.QemuTarget;
import io.sluice.migrate.session.SessionPlaces;
import io.sluice.migrate.session.SessionsSource;
import io.sluice.migrate.session.SessionsTarget;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** Guests that are written to files, and made of them. */
final class Checkpoints {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long IDLE_NS = 1_000_000;

  /** A machine that changes memory faster than it can be written is stopped after this. */
  private static final Duration STOP_AFTER = Duration.ofMinutes(5);

  private final Surroundings surroundings;
  private final Starter starter;

  /**
   * The services of the daemon that they need.
   *
   * @param clock monotonic nanoseconds
   * @param ids drawn at random
   * @param departures where it is noted that a machine stands still only for a file
   */
  record Surroundings(
      Kernel kernel,
      ThreadFactory threads,
      LongSupplier clock,
      Supplier<UUID> ids,
      DepartureLedger departures) {}

  /**
   * A guest that is to be written.
   *
   * @param to the file, for people
   * @param before called when nothing else moves the guest
   */
  record Copy(
      UUID id,
      String to,
      SourceMachine machine,
      CheckpointWriter writer,
      MigrationSettings settings,
      Runnable before) {}

  /** The beginning of a guest's move or copy, unless it moves already. */
  @FunctionalInterface
  interface Starter {
    OutgoingMigration begin(String failed, Guest guest, Copy copy) throws OperationsException;
  }

  Checkpoints(Surroundings surroundings, Starter starter) {
    this.surroundings = surroundings;
    this.starter = starter;
  }

  /**
   * Begins to write a guest to a file.
   *
   * @param place owned from now on
   * @return the id
   */
  String write(String failed, GuestHost host, Guest attached, FilePlace place, boolean live)
      throws OperationsException {
    MigrationSettings settings =
        MigrationSettings.DEFAULT
            .keepingSource()
            .withDetach(live ? DetachTime.LAST : DetachTime.FIRST);
    CheckpointWriter writer = create(failed, place);
    boolean machine = isMachine(failed, host, writer);
    UUID id = surroundings.ids().get();
    String name = attached.name();
    String to = DepartureLedger.FILE + place.named();
    OutgoingMigration migration;
    if (machine) {
      migration =
          starter.begin(
              failed,
              attached,
              new Copy(
                  id,
                  to,
                  machine(failed, host, writer, id),
                  writer,
                  settings.withTimeout(STOP_AFTER, OnTimeout.FORCE),
                  () ->
                      surroundings
                          .departures()
                          .begin(name, new DepartureLedger.MigrationAttempt(id, to))));
    } else {
      SourceMachine process = ProcessCheckpoint.source(host.device());
      migration =
          starter.begin(failed, attached, new Copy(id, to, process, writer, settings, () -> {}));
    }
    return migration.id();
  }

  /** As the other; when it cannot be known there will be no file. */
  private static boolean isMachine(String failed, GuestHost host, CheckpointWriter writer)
      throws OperationsException {
    try {
      return isMachine(failed, host);
    } catch (OperationsException e) {
      writer.close();
      throw e;
    }
  }

  private static CheckpointWriter create(String failed, FilePlace place)
      throws OperationsException {
    try {
      return CheckpointWriter.create(place);
    } catch (SluiceException e) {
      throw failed(failed, e.what(), e.remedy());
    }
  }

  private SourceMachine machine(String failed, GuestHost host, CheckpointWriter writer, UUID id)
      throws OperationsException {
    try {
      return machine(host, writer, id);
    } catch (SluiceException e) {
      writer.close();
      throw failed(failed, e.what(), e.remedy());
    } catch (RuntimeException | Error e) {
      writer.close();
      throw e;
    }
  }

  private SourceMachine machine(GuestHost host, CheckpointWriter writer, UUID id) {
    String name = host.settings().name();
    Path qmp = host.monitor();
    SourceMachine machine =
        QemuSource.open(
            host.device(),
            qmp,
            new HostRoute.Ending(
                MachineCheckpoint.into(
                    writer, HostRoute.beside(qmp, HostRoute.OUT), surroundings.threads()),
                () -> host.admit(HostRoute.beside(qmp, HostRoute.OUT)),
                () -> surroundings.departures().end(name, id)),
            new QemuSource.Settings(0, HostRoute.DEFAULT_DOWNTIME, PATIENCE),
            surroundings.threads());
    return HostRoute.over(machine, open -> withSessions(open, host, writer, qmp), () -> writer)
        .machine();
  }

  private SourceMachine withSessions(
      SourceMachine machine, GuestHost host, CheckpointWriter writer, Path qmp) {
    writer.expectMachine(() -> machine.progress().state() == State.COMPLETED);
    MachineSessions sessions = host.device().sessions().orElse(null);
    if (sessions == null) {
      return machine;
    }
    return new SessionsSource(
        machine,
        sessions,
        MachineCheckpoint.sessionsInto(
            writer,
            SessionAllowance.withMachine(sessions.mostMemoryBytes()),
            HostRoute.beside(qmp, HostRoute.OUT + HostRoute.SESSIONS),
            surroundings.kernel(),
            surroundings.threads()),
        SessionPlaces.NONE,
        surroundings.kernel(),
        surroundings.threads(),
        surroundings.clock());
  }

  /**
   * An attached, empty guest that is to be made what a file says, once it is run.
   *
   * @param observer told of its phases
   */
  RestoringGuest reading(
      String failed,
      GuestHost host,
      Guest attached,
      Path path,
      IncomingMigration.PhaseObserver observer)
      throws OperationsException {
    boolean machine = isMachine(failed, host);
    try {
      long bytes = CheckpointReader.requireCheckpoint(surroundings.kernel(), path);
      return new RestoringGuest(
          attached.name(),
          surroundings.ids().get(),
          new RestoringGuest.CheckpointFile(DepartureLedger.FILE + path, bytes),
          progress -> read(progress, host, attached, path, machine),
          surroundings.clock(),
          observer);
    } catch (SluiceException e) {
      throw failed(failed, e.what(), e.remedy());
    }
  }

  /** Why it came to nothing. */
  private Optional<Reason> read(
      RestoringGuest progress, GuestHost host, Guest attached, Path path, boolean machine) {
    try (CheckpointReader reader = CheckpointReader.open(surroundings.kernel(), path);
        MappedGuest mapped = MappedGuest.of(attached, surroundings.kernel())) {
      Optional<Reason> unfit = unfit(host, reader, machine);
      if (unfit.isPresent()) {
        return unfit;
      }
      progress.verified(reader);
      try (TargetMachine target = target(host, reader)) {
        CheckpointRestore restore =
            new CheckpointRestore(reader, mapped, target, surroundings.clock(), progress::entered);
        progress.begun(restore);
        Optional<Reason> why = restore.run();
        if (why.isPresent() || !machine) {
          return why;
        }
        progress.starting();
        return awaitRunning(target);
      }
    }
  }

  /** Why a file that is whole cannot be used for a guest. */
  private static Optional<Reason> unfit(GuestHost host, CheckpointReader reader, boolean machine) {
    if (machine != reader.hasMachine()) {
      return Optional.of(
          reader.hasMachine()
              ? new Reason(
                  "",
                  "the file is of a machine, and a process is attached to the guest",
                  "attach a QEMU that was started with -S -incoming defer")
              : new Reason(
                  "",
                  "the file is of a process, and a machine is attached to the guest",
                  "attach a process that has made nothing yet"));
    }
    if (reader.hasSessions() && host.device().sessions().isEmpty()) {
      return Optional.of(
          new Reason(
              "",
              "the machine has API sessions, and the guest may have none",
              "set opencl in the guest's [[guest]]"));
    }
    return Optional.empty();
  }

  private TargetMachine target(GuestHost host, CheckpointReader reader) {
    if (!reader.hasMachine()) {
      return ProcessCheckpoint.target(host.device());
    }
    Path qmp = host.monitor();
    TargetMachine machine =
        QemuTarget.open(
            host.device(),
            qmp,
            () ->
                MachineCheckpoint.from(
                    reader, HostRoute.beside(qmp, HostRoute.IN), surroundings.threads()),
            PATIENCE,
            surroundings.threads());
    return new SessionsTarget(
        machine,
        host.device()::sessions,
        () ->
            MachineCheckpoint.sessionsFrom(
                reader,
                HostRoute.beside(qmp, HostRoute.IN + HostRoute.SESSIONS),
                surroundings.kernel(),
                surroundings.threads()),
        surroundings.kernel(),
        surroundings.threads());
  }

  private Optional<Reason> awaitRunning(TargetMachine target) {
    while (true) {
      switch (target.progress().state()) {
        case RUNNING -> {
          return Optional.empty();
        }
        case FAILED -> {
          return Optional.of(
              new Reason(
                  CheckpointCode.NOT_STARTED,
                  "the machine is complete and does not go on: " + target.progress().failure(),
                  "Let it go on by its monitor (cont), or end it."));
        }
        default -> LockSupport.parkNanos(this, IDLE_NS);
      }
    }
  }

  /** Who has given BAR 0 an address is a machine, also without its monitor. */
  private static boolean isMachine(String failed, GuestHost host) throws OperationsException {
    boolean monitor = Files.exists(host.settings().qmp());
    if (!monitor && host.device().pci().registersAddress() != 0) {
      throw failed(
          failed,
          "it is a machine without its monitor, " + host.settings().qmp(),
          "start QEMU with the arguments of sluicectl guest xml --qemu " + host.settings().name());
    }
    return monitor;
  }

  private static OperationsException failed(String failed, @Nullable String cause, String fix) {
    return Problem.of(ErrorCode.CHECKPOINT_FAILED, failed, String.valueOf(cause), fix).exception();
  }
}
