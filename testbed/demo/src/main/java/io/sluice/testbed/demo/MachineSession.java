package io.sluice.testbed.demo;

import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A QEMU machine with our kernel module, which runs guest programs one after the other. Each waits
 * for us at the ends of its set-up and of its work.
 */
final class MachineSession implements GuestSession {
  private static final Duration BOOT = Duration.ofMinutes(2);
  private static final Duration WORK = Duration.ofMinutes(5);

  private final MachineEnvironment environment;
  private final Path image;
  private final Path socket;
  private final Optional<MachineOpenCl> openCl;
  private final Report report;
  private final List<GuestWork> works = new ArrayList<>();
  private final List<String> commands = new ArrayList<>();
  private volatile Consumer<String> listener = _ -> {};
  private @Nullable MachineGuest guest;

  /**
   * @param image directory of what it boots
   * @param openCl what it does with OpenCL, if anything
   */
  MachineSession(
      MachineEnvironment environment,
      Path image,
      Path socket,
      Sizes sizes,
      Optional<MachineOpenCl> openCl,
      Report report) {
    this.environment = environment;
    this.image = image;
    this.socket = socket;
    this.openCl = openCl;
    this.report = report;
    works.add(new MachineCopy(this, sizes.copyBytes(), report));
    commands.add("copytest --pause " + sizes.copyBytes());
    for (ComputeProgram kind : ComputeProgram.values()) {
      addCompute(kind, sizes.of(kind));
    }
    openCl.ifPresent(programs -> commands.add(programs.command()));
  }

  private void addCompute(ComputeProgram kind, int size) {
    if (size > 0) {
      works.add(new MachineCompute(this, kind, size, report));
      commands.add(kind.program() + " --pause --progress --size " + size);
    }
  }

  @Override
  public void start() throws IOException, InterruptedException {
    report.begin(DemoPart.MACHINE);
    report.say("QEMU attaches it as a PCI device, and starts Linux with our driver.");
    MachineGuest machine =
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                image, List.of(socket), String.join(" && ", commands), Optional.empty(), List.of()),
            line -> listener.accept(line));
    guest = machine;
    try (WaitLine _ = report.waiting("Linux boots in the machine")) {
      report.say(
          "Linux %s runs in the machine, and has found the GPU.",
          machine.await("SLUICE-BOOTED ", BOOT));
    }
  }

  @Override
  public List<GuestWork> works() {
    return works;
  }

  @Override
  public void finish() throws IOException, InterruptedException {
    if (openCl.isPresent()) {
      openCl.get().verify(this);
    }
  }

  /** Has every line that the guest prints from now on handed to somebody. */
  void listen(Consumer<String> to) {
    listener = to;
  }

  /** Waits for a line with a prefix; returns its rest. */
  String await(String prefix) throws IOException, InterruptedException {
    return running().await(prefix, WORK);
  }

  /** All lines that the guest has printed so far. */
  List<String> printed() {
    return running().console().lines().toList();
  }

  /** Lets a program that waits for us go on. */
  void goOn() {
    running().type("");
  }

  private MachineGuest running() {
    if (guest == null) {
      throw new IllegalStateException("start comes first");
    }
    return guest;
  }

  @Override
  public void close() throws Exception {
    if (guest == null) {
      return;
    }
    try (MachineGuest machine = guest) {
      guest = null;
      if (!report.failed()) {
        int status;
        try (WaitLine _ = report.waiting("the machine powers off")) {
          status = machine.awaitExit(WORK);
        }
        report.check(
            status == 0, "the machine has powered off, its programs' exit status is %d", status);
      }
    }
  }
}
