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
  private static final String NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0";

  private static final String INCOMING =
      "    <qemu:arg value=\"-incoming\"/>\n    <qemu:arg value=\"defer\"/>\n";

  private MachineFragments() {}

  /** Arguments for QEMU 11.1 and later, for a shell. */
  static String qemu(GuestStatus guest, String qmpPath, long memoryBytes) {
    return String.join(
        "\n",
        "-machine q35,memory-backend=sluice-ram \\",
        "-object memory-backend-memfd,id=sluice-ram,size="
            + mebibytes(memoryBytes)
            + "M,share=on \\",
        "-device " + shellQuoted(device(guest)) + " \\",
        "-qmp " + shellQuoted(monitor(qmpPath)),
        "");
  }

  /** A fragment of a libvirt domain: what a domain that there is lacks. */
  static String libvirt(GuestStatus guest, String qmpPath) {
    return String.join(
        "\n",
        "<!-- A fragment: put its parts into the domain that there is (virsh edit). A whole definition for",
        "     virsh define prints: sluicectl guest xml with the option domain. -->",
        "<!-- The namespace in the next line belongs to the domain, too: without it libvirt drops the last part. -->",
        "<domain type=\"kvm\" xmlns:qemu=\"" + NAMESPACE + "\">",
        memory(),
        commandLine(guest, qmpPath, false),
        "</domain>",
        "");
  }

  /**
   * A libvirt domain as {@code virsh define} takes it.
   *
   * @param incoming whether it waits for a machine that comes; {@code virsh create --paused} takes
   *     that
   */
  static String domain(GuestStatus guest, String qmpPath, long memoryBytes, boolean incoming) {
    return String.join(
        "\n",
        "<!-- The machine of guest "
            + xmlComment(guest.name())
            + (incoming
                ? ", as it waits for the one that comes, for: virsh create FILE, with its option paused."
                : ", for: virsh define FILE."),
        "     It needs QEMU 11.1 or newer. Where there is no KVM, change the type to qemu. -->",
        "<domain type=\"kvm\" xmlns:qemu=\"" + NAMESPACE + "\">",
        "  <name>" + guest.name() + "</name>",
        "  <memory unit=\"MiB\">" + mebibytes(memoryBytes) + "</memory>",
        "  <vcpu>2</vcpu>",
        memory(),
        "  <os>",
        "    <type arch=\"x86_64\" machine=\"q35\">hvm</type>",
        "  </os>",
        "  <!-- Without ACPI older libvirts give QEMU an option that it no longer has. -->",
        "  <features>",
        "    <acpi/>",
        "    <apic/>",
        "  </features>",
        "  <cpu mode=\"maximum\"/>",
        "  <devices>",
        "    <!-- Its disk and network, for example:",
        "    <disk type=\"file\" device=\"disk\">",
        "      <driver name=\"qemu\" type=\"qcow2\"/>",
        "      <source file=\"/var/lib/libvirt/images/" + xmlComment(guest.name()) + ".qcow2\"/>",
        "      <target dev=\"vda\" bus=\"virtio\"/>",
        "    </disk>",
        "    <interface type=\"network\">",
        "      <source network=\"default\"/>",
        "      <model type=\"virtio\"/>",
        "    </interface>",
        "    -->",
        "    <console type=\"pty\"/>",
        "    <!-- A balloon cannot take memory that the GPU reaches. -->",
        "    <memballoon model=\"none\"/>",
        "  </devices>",
        commandLine(guest, qmpPath, incoming),
        "</domain>",
        "");
  }

  private static String memory() {
    return String.join(
        "\n",
        "  <!-- The GPU reads and writes the machine's memory: it must be a memory file that is shared. -->",
        "  <memoryBacking>",
        "    <source type=\"memfd\"/>",
        "    <access mode=\"shared\"/>",
        "  </memoryBacking>");
  }

  private static String commandLine(GuestStatus guest, String qmpPath, boolean incoming) {
    return String.join(
        "\n",
        "  <!-- The device, at the guest's socket, and a second monitor, by which sluiced moves the machine and",
        "       writes checkpoints; libvirt has its own. QEMU's user must be in the daemon's guest-group.",
        "       AppArmor and SELinux must allow QEMU both sockets:",
        "       " + xmlComment(guest.socketPath()),
        "       " + xmlComment(qmpPath),
        "       How: troubleshooting.md, \"A machine of libvirt\". -->",
        "  <qemu:commandline>",
        "    <qemu:arg value=\"-device\"/>",
        "    <qemu:arg value='" + xmlEscaped(device(guest)) + "'/>",
        "    <qemu:arg value=\"-qmp\"/>",
        "    <qemu:arg value='" + xmlEscaped(monitor(qmpPath)) + "'/>",
        (incoming ? INCOMING : "") + "  </qemu:commandline>");
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

  private static long mebibytes(long bytes) {
    return (bytes + MIB - 1) / MIB;
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

  /** For a comment, which may have no two hyphens in a row. */
  private static String xmlComment(String text) {
    return text.replace("--", "- -");
  }
}
