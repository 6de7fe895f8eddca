package io.sluice.sluicectl;

import io.sluice.management.GuestStatus;
import java.io.StringWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;

/**
 * The parts of a machine's definition that give it a guest's device: the device itself, and memory
 * that is shared by file descriptor, without which the GPU cannot reach it.
 */
final class MachineFragments {
  private static final long MIB = 1L << 20;

  private MachineFragments() {}

  /** Arguments for QEMU 11.1 and later, for a shell. */
  static String qemu(GuestStatus guest, String qmpPath, long memoryBytes) {
    return String.join(
        "\n",
        "-machine q35,memory-backend=sluice-ram \\",
        "-object memory-backend-memfd,id=sluice-ram,size="
            + megabytes(memoryBytes)
            + ",share=on \\",
        "-device " + shellQuoted(device(guest)) + " \\",
        "-qmp " + shellQuoted(monitor(qmpPath)),
        "");
  }

  /** A fragment of a libvirt domain. */
  static String libvirt(GuestStatus guest, String qmpPath) {
    return String.join(
        "\n",
        "<domain type=\"kvm\" xmlns:qemu=\"http://libvirt.org/schemas/domain/qemu/1.0\">",
        "  <memoryBacking>",
        "    <source type=\"memfd\"/>",
        "    <access mode=\"shared\"/>",
        "  </memoryBacking>",
        "  <qemu:commandline>",
        "    <qemu:arg value=\"-device\"/>",
        "    <qemu:arg value='" + xmlEscaped(device(guest)) + "'/>",
        "    <qemu:arg value=\"-qmp\"/>",
        "    <qemu:arg value='" + xmlEscaped(monitor(qmpPath)) + "'/>",
        "  </qemu:commandline>",
        "</domain>",
        "");
  }

  /** The device as QEMU's {@code -device} takes it in JSON. */
  static String device(GuestStatus guest) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonFactory.builder().build().createGenerator(text)) {
      json.writeStartObject();
      json.writeStringProperty("driver", "vfio-user-pci");
      json.writeStringProperty("id", "sluice-" + guest.name());
      json.writeName("socket");
      json.writeStartObject();
      json.writeStringProperty("type", "unix");
      json.writeStringProperty("path", guest.socketPath());
      json.writeEndObject();
      json.writeEndObject();
    }
    return text.toString();
  }

  /** The monitor by which the daemon migrates the machine. */
  private static String monitor(String qmpPath) {
    return "unix:" + qmpPath.replace(",", ",,") + ",server=on,wait=off";
  }

  private static String megabytes(long bytes) {
    return (bytes + MIB - 1) / MIB + "M";
  }

  private static String shellQuoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /** For an attribute in single quotes, which leaves JSON readable. */
  private static String xmlEscaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&apos;");
  }
}
