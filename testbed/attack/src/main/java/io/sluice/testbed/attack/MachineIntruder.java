package io.sluice.testbed.attack;

import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A machine in which an unprivileged program attacks, by the program {@code intruder}. */
final class MachineIntruder implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String SAYS = "intruder: ";
  private static final int MOST_SEED = Integer.MAX_VALUE;

  private final MachineGuest machine;

  /** Boots it. */
  MachineIntruder(MachineEnvironment environment, Path socket)
      throws IOException, InterruptedException {
    machine =
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                environment.image(), List.of(socket), "intruder", Optional.empty(), List.of()),
            _ -> {});
    boolean works = false;
    try {
      String _ = machine.await(SAYS + "begins", PATIENCE);
      works = true;
    } finally {
      if (!works) {
        machine.close();
      }
    }
  }

  /** Attacks until it is told to stop. */
  Assault begin(Intrusion intrusion, long seed) throws IOException, InterruptedException {
    machine.type(intrusion.word() + " " + (seed & MOST_SEED));
    String _ = machine.await(SAYS + "attacks by " + intrusion.word(), PATIENCE);
    System.out.println("attack: " + intrusion.label() + " begins, seed " + (seed & MOST_SEED));
    return new Intruding();
  }

  private final class Intruding implements Assault {
    private boolean rests;

    @Override
    public List<ProcessHandle> processes() {
      return ProcessHandle.of(machine.pid()).stream()
          .flatMap(qemu -> Stream.concat(Stream.of(qemu), qemu.descendants()))
          .toList();
    }

    @Override
    public Optional<String> stop() throws IOException, InterruptedException {
      rests = true;
      machine.type("rest");
      try {
        System.out.println("attack: over, " + machine.await(SAYS + "rests", PATIENCE).strip());
        return Optional.empty();
      } catch (IOException e) {
        return Optional.of("the attacker's machine failed: " + e.getMessage());
      }
    }

    @Override
    public void close() {
      if (!rests) {
        machine.type("rest");
      }
    }
  }

  /** Its own kernel has to have lived through it all, too. */
  @Override
  public void close() throws IOException, InterruptedException {
    try (machine) {
      machine.type("end");
      int status = machine.awaitExit(PATIENCE);
      if (status != 0) {
        throw new IOException("the attacker's machine was hurt: " + machine.console());
      }
    }
  }
}
