package io.sluice.daemon;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.SyscallException;
import io.sluice.channel.Capability;
import io.sluice.channel.Guest;
import io.sluice.daemon.config.WireSettings;
import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationBlocker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What would stand in the way of a guest that is to move, each with its remedy. */
final class MigrationCheck {
  private final GuestHost host;
  private final List<MigrationBlocker> blockers = new ArrayList<>();

  MigrationCheck(GuestHost host) {
    this.host = host;
  }

  /** What was found. */
  List<MigrationBlocker> blockers() {
    return List.copyOf(blockers);
  }

  private void add(MigrationBlocker blocker) {
    blockers.add(blocker);
  }

  /** Whether there is something to move, and its GPU can give it away. */
  void guest() {
    Optional<Guest> attached = host.device().guest();
    if (attached.isEmpty()) {
      add(
          new MigrationBlocker(
              "SLU-MIG-040",
              "nobody is attached to guest \"" + name() + "\"",
              "There is nothing to move: create the guest at the destination instead."));
    } else {
      for (Capability needed : List.of(Capability.DETACH, Capability.STATE_SAVE)) {
        if (!attached.get().capabilities().contains(needed)) {
          add(
              new MigrationBlocker(
                  "SLU-MIG-021",
                  "GPU \"" + host.gpu().name() + "\" cannot give a channel away, missing=" + needed,
                  "Move the guest while it does not use its GPU."));
        }
      }
    }
  }

  /** It moves already. */
  void busy() {
    add(
        new MigrationBlocker(
            ErrorCode.MIGRATION_BUSY.code(),
            "guest \"" + name() + "\" moves already",
            "Wait for it, or give it up: sluicectl migration abort " + name() + "."));
  }

  /** What a machine lacks; whether the destination can be reached shows when it starts. */
  void machine(@Nullable WireSettings wire) {
    if (wire == null) {
      add(
          new MigrationBlocker(
              ErrorCode.MIGRATION_BLOCKED.code(),
              "this daemon has no certificate to show to another host's",
              "Add [migration] to the configuration: docs/migration.md, \"Certificates\"."));
    }
    if (!Files.exists(host.settings().qmp())) {
      add(
          new MigrationBlocker(
              "SLU-QMP-001",
              "the machine has no QMP socket, path=" + host.settings().qmp(),
              "Start it with what sluicectl guest xml prints."));
    }
  }

  /** Whether another daemon of this host is there. */
  void process(Kernel kernel, Path path) {
    try {
      kernel.connect(path).close();
    } catch (SyscallException e) {
      add(
          new MigrationBlocker(
              ErrorCode.MIGRATION_LINK.code(),
              "no daemon answers at " + path + ": " + e.getMessage(),
              "Start it there; sluicectl migration status shows its socket."));
    }
  }

  private String name() {
    return host.settings().name();
  }
}
