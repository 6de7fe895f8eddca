package io.sluice.migrate.checkpoint;

import java.util.function.BooleanSupplier;

/** A machine's own stream, as far as it has come into the file. */
sealed interface MachineStream {
  /** No machine. */
  record None() implements MachineStream {}

  /**
   * It comes.
   *
   * @param sent whether the machine says that it has sent all of it
   */
  record Coming(BooleanSupplier sent) implements MachineStream {}

  /**
   * It has ended; whether well is the machine's to say.
   *
   * @param sent whether it says so
   */
  record Ended(BooleanSupplier sent) implements MachineStream {}

  /** Whether all of it is in the file. */
  default boolean isIn() {
    return switch (this) {
      case None _ -> true;
      case Coming _ -> false;
      case Ended(BooleanSupplier sent) -> sent.getAsBoolean();
    };
  }

  /** It has ended. */
  default MachineStream ended() {
    return this instanceof Coming(BooleanSupplier sent) ? new Ended(sent) : this;
  }
}
