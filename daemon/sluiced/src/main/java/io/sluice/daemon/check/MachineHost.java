package io.sluice.daemon.check;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A look at what machines need of the host: KVM, and a QEMU that is new enough. */
final class MachineHost {
  private static final String QEMU = "qemu-system-x86_64";
  private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");
  private static final int OLDEST_MAJOR = 11;
  private static final int OLDEST_MINOR = 1;
  private static final long PATIENCE_S = 10;
  private static final int MOST_BYTES = 4096;

  private MachineHost() {}

  static void look(Findings findings, HostPaths paths) {
    kvm(findings, paths.kvm());
    qemu(findings, paths);
  }

  private static void kvm(Findings findings, Path node) {
    if (Files.exists(node)) {
      findings.ok("kvm", "there is " + node);
    } else {
      findings.warning(
          "kvm",
          "there is no " + node + ": machines would be emulated, which is slow",
          "switch virtualization on in the firmware, and load kvm_intel or kvm_amd");
    }
  }

  private static void qemu(Findings findings, HostPaths paths) {
    String remedy =
        "machines need QEMU "
            + OLDEST_MAJOR
            + "."
            + OLDEST_MINOR
            + " or newer; processes need none";
    Optional<Path> program =
        paths.programs().stream()
            .map(directory -> directory.resolve(QEMU))
            .filter(Files::isExecutable)
            .findFirst();
    if (program.isEmpty()) {
      findings.warning("qemu", "there is no " + QEMU + " in " + paths.programs(), remedy);
      return;
    }
    String said = version(program.get());
    Matcher version = VERSION.matcher(said);
    if (!version.find()) {
      findings.warning("qemu", program.get() + " does not say its version", remedy);
      return;
    }
    String found = program.get() + " has version " + version.group(1) + "." + version.group(2);
    if (isEnough(Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2)))) {
      findings.ok("qemu", found);
    } else {
      findings.warning("qemu", found, remedy);
    }
  }

  private static boolean isEnough(int major, int minor) {
    return major > OLDEST_MAJOR || major == OLDEST_MAJOR && minor >= OLDEST_MINOR;
  }

  /** The words of {@code --version}; empty when it does not come to any. */
  private static String version(Path program) {
    Process process = null;
    try {
      process =
          new ProcessBuilder(program.toString(), "--version")
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        return "";
      }
      return new String(process.getInputStream().readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
    } catch (IOException _) {
      return "";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "";
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
    }
  }
}
