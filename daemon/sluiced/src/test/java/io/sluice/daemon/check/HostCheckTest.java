package io.sluice.daemon.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.HostLimits;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.management.HostCheckView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What no reading of a configuration shows. */
final class HostCheckTest {
  private static final HostLimits LIMITS = new HostLimits(65_536, 65_530, 8L << 30);

  @TempDir private Path dir;
  private Path programs;
  private Path limits;

  @BeforeEach
  void makeHost() throws IOException {
    programs = Files.createDirectory(dir.resolve("bin"));
    limits =
        Files.writeString(
            dir.resolve("limits"), "Max locked memory         65536   65536   bytes\n");
  }

  private HostCheckView look(String subject, String configuration) throws Exception {
    return look(subject, configuration, LIMITS);
  }

  private HostCheckView look(String subject, String configuration, HostLimits of) throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            "[daemon]\nrun-dir = \"%s/run\"\nstate-dir = \"%s/state\"\n".formatted(dir, dir)
                + configuration);
    DaemonConfig config = new ConfigLoader(Map.of(), Map.of()).load(file);
    HostPaths paths = new HostPaths(dir.resolve("kvm"), limits, List.of(programs));
    return new HostCheck(config, of, Instant::now, paths)
        .run().stream()
            .filter(view -> view.subject().startsWith(subject))
            .findFirst()
            .orElseThrow();
  }

  private static void assertFound(HostCheckView view, String result, String found, String remedy) {
    assertThat(view.result()).as(view.toString()).isEqualTo(result);
    assertThat(view.found()).contains(found);
    assertThat(view.remedy()).contains(remedy);
  }

  @Test
  void group_thatIsNotThere_fails() throws Exception {
    assertFound(
        look("control-group", "control-group = \"nosuchgroup\"\n"),
        HostCheckView.FAILURE,
        "there is no such group",
        "groupadd nosuchgroup");
    assertFound(
        look("guest-group", "guest-group = \"root\"\n"), HostCheckView.OK, "there is such", "");
  }

  @Test
  void directory_thatIsAFile_fails() throws Exception {
    assertFound(look("run-dir", ""), HostCheckView.OK, "can be made", "");
    Files.createFile(dir.resolve("run"));
    assertFound(
        look("run-dir", ""), HostCheckView.FAILURE, dir.resolve("run") + " is no directory", "");
  }

  @Test
  void certificate_thatIsNotThere_fails() throws Exception {
    assertFound(
        look(
            "certificate",
            """
            [migration]
            certificate = "/none/cert.pem"
            key = "/none/key.pem"
            authority = "/none/ca.pem"
            """),
        HostCheckView.FAILURE,
        "cannot use certificate /none/cert.pem: there is no such file",
        "PEM");
  }

  @Test
  void device_thatIsNotThere_fails() throws Exception {
    String card = "[gpu.card0]\ndevice = \"/nowhere/card0\"\n";
    assertFound(
        look("gpu card0", card), HostCheckView.FAILURE, "there is no /nowhere/card0", "driver");
    assertFound(
        look("locked memory", card), HostCheckView.WARNING, "may lock 65536 bytes", "LimitMEMLOCK");
  }

  @Test
  void videoMemory_moreThanTheHostHas_isAWarning() throws Exception {
    HostLimits small = new HostLimits(65_536, 65_530, 1L << 30);
    assertFound(
        look("gpu embedded", "[gpu.embedded]\nvram = \"2GiB\"\n", small),
        HostCheckView.WARNING,
        "2GiB of video memory, the host has 1.0GiB",
        "vram");
    assertFound(
        look("open files", "", new HostLimits(64, 65_530, 1L << 30)),
        HostCheckView.WARNING,
        "64 of this process",
        "LimitNOFILE");
  }

  @Test
  void machines_ofThisHost_needKvmAndANewQemu() throws Exception {
    assertFound(look("kvm", ""), HostCheckView.WARNING, "there is no ", "kvm_intel");
    Files.createFile(dir.resolve("kvm"));
    assertFound(look("kvm", ""), HostCheckView.OK, "there is ", "");

    assertFound(look("qemu", ""), HostCheckView.WARNING, "there is no qemu-system", "11.1");
    writeQemu("QEMU emulator version 9.2.1 (Debian)");
    assertFound(look("qemu", ""), HostCheckView.WARNING, "has version 9.2", "11.1 or newer");
    writeQemu("QEMU emulator version 11.1.2");
    assertFound(look("qemu", ""), HostCheckView.OK, "has version 11.1", "");
  }

  private void writeQemu(String says) throws IOException {
    Path program = programs.resolve("qemu-system-x86_64");
    Files.writeString(program, "#!/bin/sh\necho '" + says + "'\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
