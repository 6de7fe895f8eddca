package io.sluice.testbed.bench.migration;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.bench.measure.ProcessorAccount;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.TestHost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A machine that is told what to run, and is moved to and fro between two hosts with nothing in
 * common but a link of 100 MB/s and 1 ms each way.
 */
final class MovedMachine implements AutoCloseable {
  static final long LINK_BYTES_PER_SECOND = 100_000_000;
  private static final String GUEST = "bench";
  private static final int PORT = 7443;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final BoundedWait WAIT = new BoundedWait(PATIENCE, Duration.ofMillis(50));

  /** Lines of the console are commands, so that a program can outlive the one that started it. */
  static final String RUN = "while read line; do eval $line; done";

  private final MachineEnvironment environment;
  private Side here;
  private Side there;

  /**
   * The figures of a move.
   *
   * @param pauseNs the machine stood still
   * @param stoodNs of it, before the last pass over video memory
   * @param drainNs nothing new was begun, and the GPU ended its work
   * @param idleNs after that, until the last pass: the GPU had nothing to do
   * @param standstillNs from when nothing new was begun until all went on
   * @param totalNs from the order to the end
   * @param standstillBytes written after the last pass of the pre-copy, at least: video memory,
   *     what the GPU wrote of the machine's memory, and what QEMU had left
   * @param drainPages of video memory, sent in a pass while the GPU ended its work, the most of one
   * @param settleNs after that, until the machine was allowed to stop
   * @param settledPages sent then, of video memory
   * @param pausePages of video memory, sent while the machine stood still
   * @param inFlight when access was taken back
   * @param split of the pause, by phase
   * @param moments what processors had done when it began, when access was taken back, and when it
   *     had moved
   */
  record Move(
      long pauseNs,
      long stoodNs,
      long drainNs,
      long idleNs,
      long standstillNs,
      long totalNs,
      long standstillBytes,
      long drainPages,
      long settleNs,
      long settledPages,
      long pausePages,
      String inFlight,
      Map<String, Double> split,
      List<ProcessorAccount.Moment> moments) {
    /** A line: without the moments, which are long. */
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: drain %.1f, idle %.1f (settled after %.1f), stood %.1f, pause %.1f %s, GPU still"
              + " %.1f, all %.0f ms; pages in the drain %d, settled %d, in the pause %d; bytes"
              + " since the drain began %d",
          inFlight,
          drainNs / 1e6,
          idleNs / 1e6,
          settleNs / 1e6,
          stoodNs / 1e6,
          pauseNs / 1e6,
          split,
          standstillNs / 1e6,
          totalNs / 1e6,
          drainPages,
          settledPages,
          pausePages,
          standstillBytes);
    }
  }

  private final class Side implements AutoCloseable {
    final TestHost host;
    final DelayedLink link;
    final DaemonProcess daemon;
    @Nullable MachineGuest machine;

    Side(Path own, HostCertificates certificates, int number, OptionalInt processor)
        throws IOException, InterruptedException {
      host = TestHost.create(own, number);
      processor.ifPresent(host::confine);
      host.limit(LINK_BYTES_PER_SECOND);
      link =
          new DelayedLink(
              host.gateway(), new InetSocketAddress(host.address(), PORT), Duration.ofMillis(1));
      certificates.issue("host" + number, host.gateway(), host.seen(own));
      daemon =
          DaemonProcess.start(
              host,
              List.of(GUEST),
              HostCertificates.configuration(own, host.address() + ":" + PORT));
    }

    void boot(List<String> arguments) throws IOException, InterruptedException {
      Path own = host.directory();
      machine =
          MachineGuest.start(
              environment,
              host,
              new MachineGuest.Setup(
                  environment.image(),
                  List.of(own.resolve(GUEST + ".sock")),
                  RUN,
                  Optional.of(own.resolve(GUEST + ".qmp")),
                  arguments),
              _ -> {});
    }

    MachineGuest machine() {
      MachineGuest running = machine;
      if (running == null) {
        throw new IllegalStateException("no machine");
      }
      return running;
    }

    void drop() throws InterruptedException {
      MachineGuest last = machine;
      machine = null;
      if (last != null) {
        last.kill();
        last.close();
      }
    }

    @Override
    public void close() throws IOException, InterruptedException {
      drop();
      daemon.close();
      link.close();
      host.close();
    }
  }

  /** Boots it, on hosts that share all processors. */
  MovedMachine(MachineEnvironment environment, Path directory)
      throws IOException, InterruptedException {
    this(environment, directory, false);
  }

  /**
   * Boots it.
   *
   * @param apart whether each host has one processor for its own, the first two
   */
  MovedMachine(MachineEnvironment environment, Path directory, boolean apart)
      throws IOException, InterruptedException {
    this.environment = environment;
    Path own = Files.createDirectory(directory.resolve("host"));
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
    int number = TestHost.freeNumbers(2);
    here = new Side(own, certificates, number, apart ? OptionalInt.of(0) : OptionalInt.empty());
    there =
        new Side(own, certificates, number + 1, apart ? OptionalInt.of(1) : OptionalInt.empty());
    here.boot(List.of());
    String _ = here.machine().await("SLUICE-BOOTED", PATIENCE);
  }

  /** Types a command. */
  void type(String command) {
    here.machine().type(command);
  }

  /** Waits for a line of the machine's console, wherever it is now; the rest of it. */
  String await(String prefix) throws IOException, InterruptedException {
    return here.machine().await(prefix, PATIENCE);
  }

  /** Starts the QEMU that waits for it on the other host, unless there is one. */
  void prepare() throws Exception {
    if (there.machine != null) {
      return;
    }
    there.boot(List.of("--", "-S", "-incoming", "defer"));
    Path qmp = there.host.seen(there.host.directory().resolve(GUEST + ".qmp"));
    WAIT.until(
        "the other host is prepared",
        () ->
            !there.daemon.connection().guest(GUEST).getState().equals("waiting")
                && Files.exists(qmp));
  }

  /** Moves it to the other host, which is prepared if it was not. */
  Move move(Map<String, String> options) throws Exception {
    prepare();
    MigrationsMXBean migrations = here.daemon.connection().migrations();
    ProcessorAccount account = account();
    List<ProcessorAccount.Moment> moments = new ArrayList<>();
    moments.add(account.now());
    migrations.start(GUEST, there.host.gateway() + ":" + there.link.port(), options);
    try {
      WAIT.until(
          "its end",
          () -> {
            MigrationStatusView now = migrations.getMigrations().get(GUEST);
            if (now != null && moments.size() == 1 && now.gpuPausedNs() > 0) {
              moments.add(account.now());
            }
            return now != null && now.over();
          });
    } catch (IOException e) {
      throw new IOException("the move does not end: " + migrations.report(GUEST, "json"), e);
    }
    moments.add(account.now());
    MigrationStatusView view = migrations.getMigrations().get(GUEST);
    String report = migrations.report(GUEST, "json");
    if (view == null || !view.phase().equals("done")) {
      throw new IOException("the machine has not moved: " + report);
    }
    here.drop();
    Side left = here;
    here = there;
    there = left;
    MoveReport told = MoveReport.of(report);
    return new Move(
        view.machinePausedNs(),
        told.stoodNs(),
        told.drainNs() - told.idleNs(),
        told.idleNs(),
        told.drainNs() - told.idleNs() + view.gpuPausedNs(),
        view.elapsedNs(),
        Math.max(told.drainPages(), told.settledPages() + view.pausePages()) * 4096
            + told.redirtiedBytes()
            + told.machineLeftBytes(),
        told.drainPages(),
        told.settleNs(),
        told.settledPages(),
        view.pausePages(),
        told.inFlight(),
        told.pauseMs(),
        moments);
  }

  /** Of everything that takes part in a move from here to there. */
  ProcessorAccount account() {
    ProcessorAccount account = new ProcessorAccount();
    account.add("daemon here", here.daemon.pid());
    account.add("daemon there", there.daemon.pid());
    account.add("QEMU here", here.machine().pid());
    account.add("QEMU there", there.machine().pid());
    account.add("bench, the link", ProcessHandle.current().pid());
    return account;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    here.close();
    there.close();
  }
}
