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

  /** What each phase of a move is to a newcomer. */
  private static final Map<String, String> PHASES =
      Map.of(
          "prepare", "the other host makes ready",
          "pre-copy", "its memory is copied while it works",
          "detach", "its GPU is taken from it",
          "drain", "its GPU ends what it has begun",
          "final-copy", "it stands, and the rest is copied",
          "switch-over", "the rest arrives",
          "restore", "the other host puts it together",
          "commit", "it goes on there");

  private final MachineEnvironment environment;
  private final Path image;
  private final Path directory;
  private final Path page;
  private final Report report;
  private final Optional<MovingOpenCl> openCl;

  /**
   * @param image directory of what machines boot
   * @param openCl whether they have what OpenCL takes
   * @param directory an empty one
   * @param page where to keep the daemon's report of the move
   */
  MigrationAct(
      MachineEnvironment environment,
      Path image,
      boolean openCl,
      Path directory,
      Path page,
      Report report) {
    this.openCl = openCl ? Optional.of(new MovingOpenCl(report, GUEST)) : Optional.empty();
    this.environment = environment;
    this.image = image;
    this.directory = directory;
    this.page = page;
    this.report = report;
  }

  void run() throws Exception {
    Path own = Files.createDirectory(directory.resolve("host"));
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
    report.say("Two hosts are made of this one, each with its own network and its own files.");
    report.say("Between them is a link of 100 MB/s and 1 ms.");
    int number = TestHost.freeNumbers(2);
    try (TestHost one = TestHost.create(own, number);
        TestHost two = TestHost.create(own, number + 1);
        DelayedLink link =
            new DelayedLink(
                one.gateway(), new InetSocketAddress(two.address(), PORT), LINK_DELAY)) {
      one.limit(LINK_BYTES_PER_SECOND);
      certificates.issue("one", one.address(), one.seen(own));
      certificates.issue("two", one.gateway(), two.seen(own));
      String leaving = HostCertificates.configuration(own, "");
      String coming = HostCertificates.configuration(own, two.address() + ":" + PORT);
      try (DaemonProcess source = startDaemon(one, leaving, "first");
          DaemonProcess target = startDaemon(two, coming, "second")) {
        report.say(
            "sluiced runs on each, as processes %d and %d of this host.",
            source.pid(), target.pid());
        report.lookAt(List.of(source.controlSocket(), target.controlSocket()));
        machines(one, two, source, target, one.gateway() + ":" + link.port());
      }
    }
  }

  private DaemonProcess startDaemon(TestHost host, String more, String which)
      throws IOException, InterruptedException {
    try (WaitLine _ = report.waiting("sluiced starts on the %s", which)) {
      return openCl.isPresent()
          ? DaemonProcess.startWithOpenCl(host, List.of(GUEST), more, "", List.of())
          : DaemonProcess.start(host, List.of(GUEST), more);
    }
  }

  private void machines(
      TestHost one, TestHost two, DaemonProcess source, DaemonProcess target, String to)
      throws Exception {
    try (MachineGuest before = boot(one, List.of())) {
      try (WaitLine _ = report.waiting("a machine boots on the first, and begins to compute")) {
        before.await("iteration: mmul", PATIENCE);
        before.await("iteration: lud", PATIENCE);
      }
      report.say("A machine on the first runs mmul and lud, again and again without a pause.");
      if (openCl.isPresent()) {
        openCl.get().awaitAtWork(source, PATIENCE);
      }
      try (MachineGuest after = boot(two, List.of("--", "-S", "-incoming", "defer"))) {
        try (WaitLine _ = report.waiting("QEMU starts on the second, to take the machine in")) {
          awaitAttached(target, two);
        }
        if (!move(source.connection().migrations(), to)) {
          return;
        }
        try (WaitLine _ = report.waiting("mmul and lud go on there")) {
          after.await("iteration: mmul", PATIENCE);
          after.await("iteration: lud", PATIENCE);
        }
        if (openCl.isPresent()) {
          openCl
              .get()
              .verify(after, source.connection().migrations().report(GUEST, "json"), PATIENCE);
        }
        after.type("");
        int status;
        try (WaitLine _ = report.waiting("mmul and lud end, and compare what they computed")) {
          status = after.awaitExit(PATIENCE);
        }
        long right = after.console().lines().filter(line -> line.endsWith(": ok")).count();
        report.check(
            status == 0 && right == PROGRAMS,
            "mmul and lud went on there; right are the results of %d of %d, exit status %d",
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

  /** Moves the machine; whether it has moved. */
  private boolean move(MigrationsMXBean migrations, String to) throws Exception {
    report.say("Now: sluicectl migration start %s --to %s", GUEST, to);
    try (WaitLine wait = report.waiting("it moves")) {
      migrations.start(GUEST, to, Map.of());
      WAIT.until("the move's end", () -> view(migrations).filter(v -> isOver(v, wait)).isPresent());
    }
    MigrationStatusView view = view(migrations).orElseThrow();
    Files.createDirectories(page.getParent());
    Path _ = Files.writeString(page, migrations.report(GUEST, "html"));
    boolean moved = view.phase().equals(MigrationStatusView.DONE);
    if (moved) {
      Optional<WorkInFlight> work = WorkInFlight.of(migrations.report(GUEST, "json"));
      report.check(
          work.isPresent() && work.get().channels() > 0,
          "what it had on its GPU when that was taken from it: %s",
          work.map(WorkInFlight::toString).orElse("nothing is known"));
      report.check(
          true,
          "the machine has moved, in %s: %s were sent",
          PlainUnits.seconds(view.elapsedNs()),
          PlainUnits.bytes(view.bytesSent()));
      report.headline(
          "The machine stood still for %s as it moved to another host.",
          PlainUnits.seconds(view.machinePausedNs()));
      report.headline(
          "Its GPU stood still for %s, from the end of its work until it went on.",
          PlainUnits.seconds(view.gpuPausedNs()));
    } else {
      report.check(false, "the machine has not moved: %s; %s", view.reason(), view.remedy());
    }
    report.headline("The move as a page: %s", page);
    return moved;
  }

  private static boolean isOver(MigrationStatusView view, WaitLine wait) {
    wait.state(PHASES.getOrDefault(view.phase(), view.phase()));
    boolean copies = view.phase().equals("pre-copy");
    wait.progress(view.bytesTotal() - view.bytesLeft(), copies ? view.bytesTotal() : 0);
    return view.over();
  }
}
