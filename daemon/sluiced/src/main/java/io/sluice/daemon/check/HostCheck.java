package io.sluice.daemon.check;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.HostLimits;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GpuSettings;
import io.sluice.daemon.config.WireSettings;
import io.sluice.management.HostCheckView;
import io.sluice.management.Quantities;
import io.sluice.migrate.wire.TlsFiles;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * A look at what a configuration needs of the host, which no reading of it shows. It changes
 * nothing, and sees what the user sees who looks.
 */
public final class HostCheck {
  /** A certificate that ends sooner is worth a word. */
  private static final Duration SOON = Duration.ofDays(30);

  /** Descriptors that a guest takes: its client's files, its maps, its sessions. */
  private static final long FILES_EACH = 64;

  private static final long FILES_OF_ITS_OWN = 256;

  private final DaemonConfig config;
  private final HostLimits limits;
  private final Supplier<Instant> now;
  private final HostPaths paths;

  /**
   * @param limits of this process
   * @param paths where things of the host are
   */
  HostCheck(DaemonConfig config, HostLimits limits, Supplier<Instant> now, HostPaths paths) {
    this.config = config;
    this.limits = limits;
    this.now = now;
    this.paths = paths;
  }

  /** Of this host, now. */
  public static HostCheck of(DaemonConfig config, HostLimits limits) {
    return new HostCheck(config, limits, Instant::now, HostPaths.OF_THIS_HOST);
  }

  /** Looks. */
  public List<HostCheckView> run() {
    Findings findings = new Findings();
    findings.ok(
        "configuration", config.file() == null ? "defaults, no file" : config.file().toString());
    group(findings, "control-group", config.controlGroup());
    group(findings, "guest-group", config.guestGroup());
    directory(findings, "run-dir", config.runDir());
    directory(findings, "state-dir", config.stateDir());
    certificates(findings);
    devices(findings);
    limits(findings);
    MachineHost.look(findings, paths);
    return findings.all();
  }

  private static void group(Findings findings, String key, String name) {
    if (name.isEmpty()) {
      return;
    }
    String subject = key + " " + name;
    try {
      FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByGroupName(name);
      findings.ok(subject, "there is such a group");
    } catch (IOException _) {
      findings.failure(
          subject,
          "there is no such group",
          "make it with groupadd " + name + ", or change daemon." + key);
    }
  }

  private static void directory(Findings findings, String key, Path path) {
    String subject = key + " " + path;
    Path there = path;
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null || !Files.isDirectory(there)) {
      findings.failure(subject, there + " is no directory", "remove it, or change daemon." + key);
    } else if (!Files.isWritable(there)) {
      findings.warning(
          subject,
          "user " + System.getProperty("user.name") + " cannot write to " + there,
          "look as the daemon's user, or change the owner of that directory");
    } else {
      findings.ok(subject, there.equals(path) ? "can be written to" : "can be made");
    }
  }

  private void certificates(Findings findings) {
    WireSettings wire = config.wire();
    if (wire == null) {
      return;
    }
    String subject = "certificate " + wire.certificate();
    TlsFiles files = new TlsFiles(wire.certificate(), wire.key(), wire.authority());
    TlsFiles.Validity valid;
    try {
      valid = files.check();
    } catch (SluiceException e) {
      findings.failure(subject, e.what(), e.remedy());
      return;
    }
    Instant moment = now.get();
    String renew = "have the authority issue another one: docs/migration.md, \"Certificates\"";
    if (moment.isBefore(valid.from())) {
      findings.failure(
          subject, "it is not valid before " + valid.from(), "see to the clock of this host");
    } else if (moment.isAfter(valid.until())) {
      findings.failure(subject, "it has expired, at " + valid.until(), renew);
    } else if (moment.plus(SOON).isAfter(valid.until())) {
      findings.warning(subject, "it is valid until " + valid.until() + " only", renew);
    } else {
      findings.ok(subject, "belongs to its key, valid until " + valid.until());
    }
  }

  private void devices(Findings findings) {
    for (GpuSettings gpu : config.gpus()) {
      String subject = "gpu " + gpu.name();
      switch (gpu) {
        case GpuSettings.Embedded embedded -> memory(findings, subject, embedded);
        case GpuSettings.Device device -> device(findings, subject, device.device());
      }
    }
  }

  private void memory(Findings findings, String subject, GpuSettings.Embedded gpu) {
    String has =
        Quantities.formatSize(gpu.vramBytes())
            + " of video memory, the host has "
            + HostPaths.rounded(limits.memoryBytes());
    if (gpu.vramBytes() > limits.memoryBytes()) {
      findings.warning(subject, has, "give gpu.embedded.vram less: its memory is the host's");
    } else {
      findings.ok(subject, has);
    }
  }

  private static void device(Findings findings, String subject, Path node) {
    if (!Files.exists(node)) {
      findings.failure(
          subject,
          "there is no " + node,
          "load its driver, or change device: docs/configuration.md, \"[gpu.NAME]\"");
    } else if (!Files.isReadable(node) || !Files.isWritable(node)) {
      findings.warning(
          subject,
          "user " + System.getProperty("user.name") + " cannot open " + node,
          "look as the daemon's user, or add it to the group of that node");
    } else {
      findings.ok(subject, node + " can be opened");
    }
  }

  private void limits(Findings findings) {
    long wanted = FILES_OF_ITS_OWN + FILES_EACH * Math.max(1, config.guests().size());
    String subject = "open files";
    if (limits.openFiles() < wanted) {
      findings.warning(
          subject,
          limits.openFiles() + " of this process, its guests may take " + wanted,
          "raise LimitNOFILE of the unit, or ulimit -n");
    } else {
      findings.ok(subject, limits.openFiles() + " of this process");
    }
    if (config.gpus().stream().anyMatch(GpuSettings.Device.class::isInstance)) {
      lockedMemory(findings);
    }
  }

  /** A card's driver pins what guests share. */
  private void lockedMemory(Findings findings) {
    String subject = "locked memory";
    String limit = paths.lockedMemory();
    if (limit.equals(HostPaths.UNLIMITED)) {
      findings.ok(subject, "no limit");
    } else {
      findings.warning(
          subject,
          "this process may lock " + limit + " bytes, a card pins what its guests share",
          "set LimitMEMLOCK=infinity in the unit, or ulimit -l unlimited");
    }
  }
}
