package io.sluice.testbed.attack;

import io.sluice.testbed.machine.MachineEnvironment;
import java.util.Locale;
import java.util.Optional;

/**
 * The attacks of an unprivileged program in a machine, through the kernel module: what the program
 * {@code intruder} does when it is told their names.
 */
enum Intrusion implements Onslaught {
  /** Calls right and wrong, of threads on the same files. */
  CALLS,
  /** Random words in one channel after the other. */
  WORDS,
  /** Grids that do not end, with and without call stacks, in as many channels as there may be. */
  GRIDS,
  /** As many files, spaces, buffers and mappings as there may be. */
  BUDGETS,
  /** Video memory that is touched and freed. */
  TOUCHING,
  /** Programs that are killed while they make things, and work. */
  DEATHS;

  /** What the program calls it. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String label() {
    return "machine-" + word();
  }

  @Override
  public Optional<String> obstacle() {
    return MachineEnvironment.find().isPresent()
        ? Optional.empty()
        : Optional.of(MachineEnvironment.absence());
  }
}
