package io.sluice.testbed.machine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.HostRoot;
import io.sluice.testbed.machine.support.Machines;
import io.sluice.testbed.machine.support.PrintedInMachine;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import io.sluice.testbed.opencl.RealProgram;
import io.sluice.testbed.opencl.RealPrograms;
import io.sluice.testbed.opencl.RealPrograms.OfShare;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of this host's distribution that need many files, in a machine that has those by a
 * share: PyOpenCL, ffmpeg and hashcat come to the results of a native run.
 */
@Tag("long")
final class HostProgramsTest {
  private static final String GUEST = "guest";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration ALL_PROGRAMS = Machines.PATIENCE.multipliedBy(5);
  private static final String SCRIPT = "opt/programs";

  @Test
  @TakesLong("it runs large programs, in a machine and here")
  void programs_inTheMachine_comeToTheirNativeResults(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    assumeTrue(MachineEnvironment.find().isPresent(), MachineEnvironment.absence());
    List<OfShare> ready = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (OfShare each : RealPrograms.ofShares()) {
      if (each.program().isReady(directory)) {
        ready.add(each);
      } else {
        missing.add(each.program().packages());
      }
    }
    List<RealProgram> programs = ready.stream().map(OfShare::program).toList();
    assumeFalse(programs.isEmpty(), missing + " are not installed");
    OpenClParts parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    HostRoot root = root(directory, parts, ready);

    Map<String, Result> printed;
    String console;
    try (Machines machines =
        Machines.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")), List.of(GUEST), List.of(), "")) {
      SessionsMXBean sessions = machines.daemon().connection().sessions();
      await().atMost(PATIENCE).until(() -> isServing(sessions.getHosts().get(GUEST)));
      String share = root.directory() + ":" + HostRoot.IN_MACHINE;
      String command = "IN_SHARE_USER=0 in-share sh /" + SCRIPT;
      try (MachineGuest machine =
          machines.boot(GUEST, command, "--cpus", "2", "--memory", "2G", "--share", share)) {
        assertThat(machine.awaitExit(ALL_PROGRAMS)).as(machine.console()).isZero();
        console = machine.console();
        printed = PrintedInMachine.of(console);
      }
      await().atMost(PATIENCE).until(() -> sessions.list(GUEST).isEmpty());
    }

    for (RealProgram program : programs) {
      Path work = Files.createDirectory(directory.resolve(program.name()));
      Result there = Objects.requireNonNull(printed.get(program.name()), program.name());
      Result here = parts.natively(work, program.command());
      assertThat(here.code()).as(program + "\n" + here.errors()).isZero();
      assertThat(there.code()).as(program + "\n" + console).isZero();
      List<String> expected = program.results(work, here);
      if (!program.compared().isEmpty()) {
        Path _ = Files.write(work.resolve(program.compared()), there.output());
      }
      assertThat(program.results(work, there))
          .as(program.name())
          .isNotEmpty()
          .containsExactlyElementsOf(expected);
    }
    assumeTrue(missing.isEmpty(), "the others were compared; not installed: " + missing);
  }

  private static boolean isServing(@Nullable SessionHostStatus host) {
    return host != null && host.state().equals(SessionHostStatus.SERVING);
  }

  private static HostRoot root(Path directory, OpenClParts parts, List<OfShare> ready)
      throws Exception {
    HostRoot root = new HostRoot(directory.resolve("root"), parts);
    for (OfShare each : ready) {
      root.addProgram(each.program().file());
      for (Path tree : each.trees()) {
        root.addTree(tree);
      }
    }
    Path script = root.directory().resolve(SCRIPT);
    Files.createDirectories(script.getParent());
    String text = PrintedInMachine.scriptInPlace(ready.stream().map(OfShare::program).toList());
    Path _ = Files.writeString(script, text);
    return root;
  }
}
