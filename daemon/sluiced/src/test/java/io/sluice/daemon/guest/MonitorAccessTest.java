package io.sluice.daemon.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.SlotLimits;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.ProgramSettings;
import io.sluice.quota.Quota;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rights at machines' monitors, with users that are only numbers. */
final class MonitorAccessTest {
  private static final int MACHINE = 7001;
  private static final int STRANGER = 7002;
  private static final int STICKY_AND_ALL = 01770;
  private static final int MODE_BITS = 07777;

  private final Kernel kernel = RealKernel.create();

  @TempDir private Path dir;

  private Path socket() {
    return dir.resolve("web-01.qmp");
  }

  private GuestSettings guest() {
    return new GuestSettings(
        "web-01",
        new UUID(0, 1),
        "embedded",
        dir.resolve("web-01.sock"),
        socket(),
        Quota.DEFAULT,
        SlotLimits.DEFAULT,
        GuestSettings.DEFAULT_MAPS,
        ProgramSettings.NONE);
  }

  private static Optional<PeerCredentials> client(int uid) {
    return Optional.of(new PeerCredentials(1, uid, uid));
  }

  /** A file in the socket's place, whose user is another than that of this process. */
  private void make(int uid) throws IOException {
    assumeTrue(System.getProperty("user.name").equals("root"), "files of other users take root");
    Files.createFile(socket());
    Files.setAttribute(socket(), "unix:uid", uid);
  }

  @Test
  void makeDirectory_again_isTheGroupsAndSticky() throws IOException {
    Path machines = dir.resolve("machines");
    PosixFileAttributes own = Files.readAttributes(dir, PosixFileAttributes.class);
    MonitorAccess.makeDirectory(machines, own.group(), kernel);
    MonitorAccess.makeDirectory(machines, own.group(), kernel);

    int mode = (Integer) Files.getAttribute(machines, "unix:mode") & MODE_BITS;
    assumeTrue(mode != 0700, "a file system without ACLs");
    assertThat(mode).isEqualTo(STICKY_AND_ALL);

    // The group has no part in what is made there: its bits are the mask.
    Path made = Files.createFile(machines.resolve("made"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made))).endsWith("---");
  }

  @Test
  void of_theMachinesOwn_isTaken() throws IOException {
    make(MACHINE);
    assertThat(MonitorAccess.of(guest(), client(MACHINE))).isEqualTo(socket());
  }

  @Test
  void of_aStrangers_isRefused() throws IOException {
    make(STRANGER);
    assertThatThrownBy(() -> MonitorAccess.of(guest(), client(MACHINE)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-QMP-010")
        .hasMessageContaining("its user=7002, the machine's=7001");
  }

  @Test
  void of_nothingThere_isLeftToWhoConnects() {
    assertThat(MonitorAccess.of(guest(), client(MACHINE))).isEqualTo(socket());
  }

  @Test
  void admit_theMachinesUser_isLetInByAnAcl() throws IOException {
    make(STRANGER);
    Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rw-------"));
    try {
      MonitorAccess.admit(socket(), client(MACHINE).orElseThrow(), kernel);
    } catch (RefusedException e) {
      assumeTrue(false, e.getMessage());
    }
    assertThat(Files.getPosixFilePermissions(socket()))
        .isEqualTo(PosixFilePermissions.fromString("rwxrwx---"));
  }
}
