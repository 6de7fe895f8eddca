package io.sluice.migrate.engine;

import io.sluice.channel.Capability;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.SourceMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The obstacles in the way of a guest at its source, each with its remedy. */
public final class SourceObstacles {
  private static final List<Capability> NEEDED = List.of(Capability.DETACH, Capability.STATE_SAVE);

  private SourceObstacles() {}

  /** What the GPU cannot do. */
  public static List<Reason> of(Set<Capability> capabilities) {
    return NEEDED.stream()
        .filter(needed -> !capabilities.contains(needed))
        .map(needed ->
            new Reason(
                MigrationCode.NO_STATE,
                "this GPU cannot give a channel's state away, missing=" + needed,
                "Move the guest while it does not use its GPU."))
        .toList();
  }

  /**
   * All of them.
   *
   * @param copiesMemory whether video memory is copied, not handed over
   */
  static List<Reason> of(MappedGuest mapped, SourceMachine machine, boolean copiesMemory) {
    List<Reason> found = new ArrayList<>();
    for (SourceMachine.Blocker blocker : machine.blockers()) {
      found.add(new Reason(blocker.code(), blocker.what(), blocker.remedy()));
    }
    Set<Capability> capabilities = mapped.guest().capabilities();
    found.addAll(of(capabilities));
    if (copiesMemory && !mapped.hasAperture() && !capabilities.contains(Capability.BUFFER_COPIES)) {
      found.add(
          new Reason(
              MigrationCode.UNREADABLE,
              "nobody can read this GPU's video memory",
              "Free it, and try again."));
    }
    return found;
  }
}
