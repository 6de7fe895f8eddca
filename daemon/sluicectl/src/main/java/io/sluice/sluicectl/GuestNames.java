package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.GuestStatus;
import io.sluice.management.Nearest;
import io.sluice.management.Problem;
import java.util.Map;
import java.util.Optional;

/** The names by which an operator may mean a guest: by its name, its UUID, or {@code GPU/NAME}. */
final class GuestNames {
  private GuestNames() {}

  static GuestStatus find(Map<String, GuestStatus> guests, String text) {
    return match(guests, text).orElseThrow(() -> unknown(guests, text));
  }

  /** The guest that is meant; empty when none is. */
  static Optional<GuestStatus> match(Map<String, GuestStatus> guests, String text) {
    GuestStatus named = guests.get(text);
    if (named != null) {
      return Optional.of(named);
    }
    return guests.values().stream()
        .filter(guest ->
            guest.uuid().equalsIgnoreCase(text) || (guest.gpu() + "/" + guest.name()).equals(text))
        .findFirst();
  }

  private static ProblemException unknown(Map<String, GuestStatus> guests, String text) {
    String fix =
        Nearest.to(text, guests.keySet())
            .map(near -> "did you mean \"" + near + "\"?")
            .orElse("sluicectl guest list shows those there are");
    Problem problem = Problem.of(ErrorCode.GUEST_UNKNOWN, "no guest \"" + text + "\"", "", fix);
    return new ProblemException(problem, ExitCode.NOT_FOUND);
  }
}
