package io.sluice.daemon.check;

import io.sluice.abi.SluiceException;
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
        monitor(findings, guest);
      }
    }
    return findings.all();
  }

  private static void monitor(Findings findings, GuestHost host) {
    String guest = host.settings().name();
    String subject = "monitor of " + guest;
    Path qmp;
    try {
      qmp = host.monitor();
    } catch (SluiceException e) {
      findings.failure(subject, e.what(), e.remedy());
      return;
    }
    if (!Files.exists(qmp)) {
      findings.warning(
          subject,
          "there is no " + qmp + ": the machine can be neither moved nor checkpointed",
          "start QEMU with the arguments of sluicectl guest xml --qemu " + guest);
    } else if (!Files.isWritable(qmp)) {
      findings.warning(
          subject,
          "user " + System.getProperty("user.name") + " cannot connect to " + qmp,
          "have it in RUN-DIR/machines, and start QEMU with umask 007, as libvirt does by itself:"
              + " docs/troubleshooting.md, \"A machine of libvirt\"");
    } else {
      findings.ok(subject, qmp.toString());
    }
  }
}
