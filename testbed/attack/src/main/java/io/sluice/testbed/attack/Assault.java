package io.sluice.testbed.attack;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** An attack that is on. */
interface Assault extends AutoCloseable {
  /** Whose processor time it takes, beside the daemon's. */
  List<ProcessHandle> processes();

  /**
   * Ends it in order: what it has taken is given back.
   *
   * @return what went wrong with the attacker itself
   */
  Optional<String> stop() throws IOException, InterruptedException;

  /** How long destroying its guest took, when it was stopped; 0: its guest stays. */
  default long destroyNs() {
    return 0;
  }

  @Override
  void close();
}
