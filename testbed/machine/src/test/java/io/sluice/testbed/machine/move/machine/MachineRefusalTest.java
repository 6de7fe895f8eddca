package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.DaemonMXBean;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.move.MachineHost;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real machine is to go to a destination that is too small, that is another one, or that speaks
 * another version. Each time its program goes on where it was, and is asked whether all it
 * submitted was executed exactly once. How long the machine stood still is printed.
 */
final class MachineRefusalTest {
  private static final long TOO_LITTLE_BYTES = 64 << 10;

  private final Standstill.Table standstills = new Standstill.Table();
  @TempDir private Path directory;

  private void move(MachineRig rig, String what, String to, String reason) throws Exception {
    long startNs = System.nanoTime();
    rig.source.migrations().start(MachineHost.GUEST, to, Map.of());
    stays(rig, what, startNs, reason);
  }

  private void stays(MachineRig rig, String what, long faultNs, String reason) throws Exception {
    assertThat(rig.awaitOver().phase()).as(what).isEqualTo("aborted");
    assertThat(rig.source.view().reason()).as(what).contains(reason);
    standstills.add(what, "", Standstill.of(rig.source, faultNs));
    rig.checkWorks();
  }

  @Test
  void start_whatCannotComeAbout_theMachineGoesOnWhereItWas() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      DaemonMXBean target = rig.target.daemon().connection().daemon();
      target.setQuota(MachineHost.GUEST, null, null, TOO_LITTLE_BYTES, null, null);
      move(rig, "destination too small", rig.target.address(), "limit");
      target.resetQuota(MachineHost.GUEST);

      rig.prepare();
      InetSocketAddress daemon = rig.target.link().to();
      try (DelayedLink elsewhere =
          new DelayedLink(rig.other.host().gateway(), daemon, Duration.ofMillis(1))) {
        String to = rig.other.host().gateway() + ":" + elsewhere.port();
        move(rig, "wrong peer", to, "do not trust each other");
      }

      try (StrangePeer peer =
          new StrangePeer(
              rig.other.host().seen(rig.other.host().directory()), rig.other.host().gateway())) {
        move(rig, "wrong version", peer.address(), "version");
      }
    } finally {
      System.out.println(standstills);
    }
  }
}
