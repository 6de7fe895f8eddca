package io.sluice.testbed.demo;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last act: two hosts with nothing in common but a link of 100 MB/s and 1 ms, a machine on one
 * of them in which two programs use the GPU, and others OpenCL, and the machine moves to the other.
 */
final class MigrationAct {
  private static final String GUEST = "demo";
  private static final int PORT = 7443;
  private static final long LINK_BYTES_PER_SECOND = 100_000_000;
  private static final Duration LINK_DELAY = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final BoundedWait WAIT = new BoundedWait(PATIENCE, Duration.ofMillis(50));
  private static final int PROGRAMS = 2;

  /**
   * Both programs have one channel each and submit to it until a line is typed, mmul long kernels
   * and lud many short ones, one after the other without a pause; then they check their results.
   */
  private static final String RUN =
      """
      mmul --size 512 --until /tmp/end </dev/null & m=$!;\
       lud --size 384 --until /tmp/end </dev/null & l=$!;\
       read x; touch /tmp/end; wait $m && wait $l\
      """;

  private static final Pattern IN_FLIGHT =
      Pattern.compile("channels=(\\d+) running=\\d+ pendingEntries=\\d+");

  private final MachineEnvironment environment;
  private final Path image;
  private final Path directory;
  private final Report report;
  private final Optional<MovingOpenCl> openCl;

  /**
   * @param image directory of what machines boot
   * @param openCl whether they have what OpenCL takes
   * @param directory an empty one
   */
  MigrationAct(
      MachineEnvironment environment, Path image, boolean openCl, Path directory, Report report) {
    this.openCl = openCl ? Optional.of(new MovingOpenCl(report, GUEST)) : Optional.empty();
    this.environment = environment;
    this.image = image;
    this.directory = directory;
    this.report = report;
  }

  void run() throws Exception {
    Path own = Files.createDirectory(directory.resolve("host"));
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
    int number = TestHost.freeNumbers(2);
    try (TestHost one = TestHost.create(own, number);
        TestHost two = TestHost.create(own, number + 1);
        DelayedLink link =
            new DelayedLink(
                one.gateway(), new InetSocketAddress(two.address(), PORT), LINK_DELAY)) {
      one.limit(LINK_BYTES_PER_SECOND);
      certificates.issue("one", one.address(), one.seen(own));
      certificates.issue("two", one.gateway(), two.seen(own));
      report.step("two hosts: network and mount namespaces of their own, a link of 100 MB/s, 1 ms");
      String leaving = HostCertificates.configuration(own, "");
      String coming = HostCertificates.configuration(own, two.address() + ":" + PORT);
      try (DaemonProcess source = startDaemon(one, leaving);
          DaemonProcess target = startDaemon(two, coming)) {
        report.step("a sluiced on each, process %d and %d", source.pid(), target.pid());
        machines(one, two, source, target, one.gateway() + ":" + link.port());
      }
    }
  }

  private DaemonProcess startDaemon(TestHost host, String more)
      throws IOException, InterruptedException {
    return openCl.isPresent()
        ? DaemonProcess.startWithOpenCl(host, List.of(GUEST), more, "", List.of())
        : DaemonProcess.start(host, List.of(GUEST), more);
  }

  private void machines(
      TestHost one, TestHost two, DaemonProcess source, DaemonProcess target, String to)
      throws Exception {
    try (MachineGuest before = boot(one, List.of())) {
      before.await("iteration: mmul", PATIENCE);
      before.await("iteration: lud", PATIENCE);
      report.step("a machine on the first; mmul and lud run in it, kernel after kernel");
      if (openCl.isPresent()) {
        openCl.get().awaitAtWork(source, PATIENCE);
      }
      try (MachineGuest after = boot(two, List.of("--", "-S", "-incoming", "defer"))) {
        awaitAttached(target, two);
        report.step("QEMU on the second waits for it");
        MigrationStatusView moved = move(source.connection().migrations(), to);
        report.check(moved.phase().equals("done"), "the machine has moved %s", moved.reason());
        if (!moved.phase().equals("done")) {
          return;
        }
        after.await("iteration: mmul", PATIENCE);
        after.await("iteration: lud", PATIENCE);
        report.step("mmul and lud go on there");
        if (openCl.isPresent()) {
          openCl
              .get()
              .verify(after, source.connection().migrations().report(GUEST, "json"), PATIENCE);
        }
        after.type("");
        int status = after.awaitExit(PATIENCE);
        long right = after.console().lines().filter(line -> line.endsWith(": ok")).count();
        report.check(
            status == 0 && right == PROGRAMS,
            "their results are right, those of %d of %d; exit status: %d",
            right,
            PROGRAMS,
            status);
      }
    }
  }

  private MachineGuest boot(TestHost host, List<String> arguments)
      throws IOException, InterruptedException {
    Path own = host.directory();
    MachineGuest.Setup setup =
        new MachineGuest.Setup(
            image,
            List.of(own.resolve(GUEST + ".sock")),
            (openCl.isPresent() ? MovingOpenCl.command() + " " : "") + RUN,
            Optional.of(own.resolve(GUEST + ".qmp")),
            arguments);
    return MachineGuest.start(environment, host, setup, _ -> {});
  }

  private static void awaitAttached(DaemonProcess target, TestHost host)
      throws IOException, InterruptedException {
    Path qmp = host.seen(host.directory().resolve(GUEST + ".qmp"));
    WAIT.until(
        "QEMU's attachment",
        () -> !target.connection().guest(GUEST).getState().equals("waiting") && Files.exists(qmp));
  }

  private static Optional<MigrationStatusView> view(MigrationsMXBean migrations) {
    return Optional.ofNullable(migrations.getMigrations().get(GUEST));
  }

  private MigrationStatusView move(MigrationsMXBean migrations, String to) throws Exception {
    migrations.start(GUEST, to, Map.of());
    WAIT.until(
        "the move's end", () -> view(migrations).filter(MigrationStatusView::over).isPresent());
    MigrationStatusView view = view(migrations).orElseThrow();
    report.step("sluicectl migration start %s --to %s", GUEST, to);
    String told = migrations.report(GUEST, "text");
    told.lines().forEach(line -> report.detail("%s", line.stripTrailing()));
    if (view.phase().equals("done")) {
      Matcher work = IN_FLIGHT.matcher(told);
      report.check(
          work.find() && !work.group(1).equals("0"),
          "in flight when access was taken back: %s",
          work.reset().find() ? work.group() : "nothing");
      report.step(
          "the machine stood still for %.0f ms, its GPU for %.0f ms",
          view.machinePausedNs() / 1e6, view.gpuPausedNs() / 1e6);
    }
    return view;
  }
}
