package io.sluice.testbed.attack;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** An attack on a guest that is destroyed before the attacker ends. */
final class DoomedAssault implements Assault {
  private final DoomedGuest guest;
  private final Assault attacker;
  private long destroyNs;

  /**
   * @param attacker owned by this
   */
  DoomedAssault(DoomedGuest guest, Assault attacker) {
    this.guest = guest;
    this.attacker = attacker;
  }

  @Override
  public List<ProcessHandle> processes() {
    return attacker.processes();
  }

  @Override
  public Optional<String> stop() throws IOException, InterruptedException {
    try {
      destroyNs = guest.destroy();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage())); // it may wait for its guest for ever
    }
    return attacker.stop();
  }

  @Override
  public long destroyNs() {
    return destroyNs;
  }

  @Override
  public void close() {
    attacker.close();
  }
}
