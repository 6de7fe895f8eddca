package io.sluice.testbed.machine.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.nested.NestedVfio;
import io.sluice.testbed.machine.support.Machines;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java bindings of the kernel's VFIO against a real kernel: inside a machine with an IOMMU,
 * bound to vfio-pci, our own virtual device is driven by the same client as from outside.
 */
final class NestedVfioTest {
  private static final String GUEST = "guest";
  private static final String ADDRESS = "0000:01:00.0";
  private static final String DEVICE = "/sys/bus/pci/devices/" + ADDRESS;

  /** Gives the device to vfio-pci, and lets it be bus master, which vfio-pci leaves to its user. */
  private static final String BIND =
      "echo "
          + ADDRESS
          + " > "
          + DEVICE
          + "/driver/unbind"
          + " && echo vfio-pci > "
          + DEVICE
          + "/driver_override"
          + " && echo "
          + ADDRESS
          + " > /sys/bus/pci/drivers_probe"
          + " && printf '\\006' | dd of="
          + DEVICE
          + "/config bs=1 seek=4 conv=notrunc";

  private static final String RUN =
      "/java/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m"
          + " --enable-native-access=ALL-UNNAMED -cp '/java/app/*' "
          + NestedVfio.class.getName()
          + " $(basename $(readlink "
          + DEVICE
          + "/iommu_group)) "
          + ADDRESS;

  @TempDir private Path directory;

  @Test
  @Tag("long")
  void device_throughTheGuestKernelsVfio_isDriven() throws Exception {
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(environment.isPresent(), MachineEnvironment.absence());
    Path image = environment.get().image(imageArguments());
    try (DaemonProcess daemon =
            DaemonProcess.start(Files.createDirectory(directory.resolve("run")), List.of(GUEST));
        MachineGuest guest =
            MachineGuest.start(
                environment.get(),
                new MachineGuest.Setup(
                    image,
                    List.of(daemon.socket(GUEST)),
                    BIND + " && " + RUN,
                    Optional.empty(),
                    List.of("--iommu", "--append", "intel_iommu=on", "--memory", "1G")),
                _ -> {})) {
      int status = guest.awaitExit(Machines.PATIENCE.multipliedBy(2));

      assertThat(status).as(guest.console()).isZero();
      assertThat(guest.console()).contains("nested: ok");
    }
  }

  /** A Java runtime with its C library, the classes, and the kernel's modules. */
  private List<String> imageArguments() throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("--kmod", "vfio-pci", "--kmod", "vfio_iommu_type1"));
    Path java = directory.resolve("java");
    tool(
        "jlink",
        List.of("--add-modules", "java.base", "--strip-debug", "--output", java.toString()));
    try (Stream<Path> files = Files.walk(java)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        add(arguments, file, "/java/" + java.relativize(file));
      }
    }
    for (Class<?> type :
        List.of(
            RealKernel.class,
            AttachedDevice.class,
            NestedVfio.class,
            Class.forName("org.slf4j.Logger"))) {
      add(arguments, jar(type), "/java/app/" + type.getSimpleName() + ".jar");
    }
    for (Path library : libraries(java.resolve("lib/server/libjvm.so"))) {
      add(arguments, library, library.toString());
    }
    return arguments;
  }

  private static void add(List<String> arguments, Path file, String guestPath) {
    arguments.addAll(List.of("--add", file + ":" + guestPath));
  }

  /** Where a class comes from, as a jar. */
  private Path jar(Class<?> type) throws IOException, InterruptedException, URISyntaxException {
    Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isRegularFile(place)) {
      return place;
    }
    Path jar = directory.resolve(type.getSimpleName() + ".jar");
    tool("jar", List.of("--create", "--file", jar.toString(), "-C", place.toString(), "."));
    return jar;
  }

  /** What the dynamic linker would load for a file, itself included. */
  private static List<Path> libraries(Path file) throws IOException, InterruptedException {
    Process ldd = new ProcessBuilder("ldd", file.toString()).start();
    List<Path> found = new ArrayList<>();
    for (String line : new String(ldd.getInputStream().readAllBytes(), UTF_8).split("\n")) {
      for (String word : line.strip().split(" ")) {
        if (word.startsWith("/lib") || word.startsWith("/usr/lib")) {
          found.add(Path.of(word));
        }
      }
    }
    assertThat(ldd.waitFor()).isZero();
    return found;
  }

  private static void tool(String name, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", name).toString());
    command.addAll(arguments);
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).as(name).isZero();
  }
}
