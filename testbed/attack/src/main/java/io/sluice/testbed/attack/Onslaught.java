package io.sluice.testbed.attack;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A way to attack: by a process that has a guest's socket, or by a program in a machine. */
sealed interface Onslaught permits Attack, Intrusion {
  /** As it is written on a command line. */
  String label();

  /** Why this host cannot attack so; empty: it can. */
  Optional<String> obstacle();

  /** All of them. */
  static List<Onslaught> all() {
    return Stream.<Onslaught>concat(
            Arrays.stream(Attack.values()), Arrays.stream(Intrusion.values()))
        .toList();
  }

  /**
   * The one of that label.
   *
   * @throws IllegalArgumentException there is none
   */
  static Onslaught of(String label) {
    return all().stream()
        .filter(each -> each.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no attack is called " + label));
  }
}
