package io.sluice.daemon.check;

import io.sluice.daemon.guest.GuestHost;
import io.sluice.management.HostCheckView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** A look at the guests of a daemon that runs: whether their machines could be moved. */
public final class GuestCheck {
  private GuestCheck() {}

  public static List<HostCheckView> look(Collection<GuestHost> guests) {
    Findings findings = new Findings();
    for (GuestHost guest : guests) {
      if (guest.isMachine()) {
        monitor(findings, guest.settings().name(), guest.settings().qmp());
      }
    }
    return findings.all();
  }

  private static void monitor(Findings findings, String guest, Path qmp) {
    String subject = "monitor of " + guest;
    if (!Files.exists(qmp)) {
      findings.warning(
          subject,
          "there is no " + qmp + ": the machine can be neither moved nor checkpointed",
          "start QEMU with the arguments of sluicectl guest xml --qemu " + guest);
    } else if (!Files.isWritable(qmp)) {
      findings.warning(
          subject,
          "user " + System.getProperty("user.name") + " cannot connect to " + qmp,
          "let the daemon's user write to that socket, for example by its group");
    } else {
      findings.ok(subject, qmp.toString());
    }
  }
}
