package io.sluice.migrate.qmp;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The address of a PCI function in its machine.
 *
 * @param bus number of the bus, as the guest's firmware numbered it
 * @param slot 0 to 31
 * @param function 0 to 7
 */
public record PciAddress(int bus, int slot, int function) {
  /** Refuses what no address is. */
  public PciAddress {
    if ((bus & ~0xff) != 0 || (slot & ~0x1f) != 0 || (function & ~7) != 0) {
      throw new RefusedException(
          QmpCode.NO_ADDRESS,
          Errno.EPROTO,
          "no PCI address, bus=" + bus + ", slot=" + slot + ", function=" + function,
          "");
    }
  }

  /** Offset of its configuration space in the memory-mapped one (PCI Express, 7.2.2). */
  public long ecamOffset() {
    return (long) bus << 20 | (long) slot << 15 | (long) function << 12;
  }

  /** What selects a register of it at port 0xcf8 (PCI Local Bus 3.0, 3.2.2.3.2). */
  public int port(int register) {
    return 1 << 31 | bus << 16 | slot << 11 | function << 8 | register & 0xfc;
  }

  /** Looks through the answer to {@code query-pci}, behind bridges too. */
  static PciAddress find(List<JsonObject> buses, int vendor, int device, long bar0) {
    Deque<JsonObject> left = new ArrayDeque<>(buses);
    while (!left.isEmpty()) {
      JsonObject bus = left.pop();
      for (JsonObject function : bus.objects("devices")) {
        function.object("pci_bridge").ifPresent(left::push);
        if (is(function, vendor, device) && isAt(function, bar0)) {
          return new PciAddress(
              (int) function.number("bus").orElse(-1),
              (int) function.number("slot").orElse(-1),
              (int) function.number("function").orElse(-1));
        }
      }
    }
    throw new RefusedException(
        QmpCode.NO_FUNCTION,
        Errno.ENODEV,
        "the machine has no such PCI function, device=%04x:%04x, BAR 0 at 0x%x"
            .formatted(vendor, device, bar0),
        "Look whether qmp of this guest names the socket of the machine that uses it.");
  }

  private static boolean is(JsonObject function, int vendor, int device) {
    JsonObject id = function.object("id").orElse(JsonObject.EMPTY);
    return id.number("vendor").orElse(-1) == vendor && id.number("device").orElse(-1) == device;
  }

  private static boolean isAt(JsonObject function, long bar0) {
    return function.objects("regions").stream()
        .anyMatch(region ->
            region.number("bar").orElse(-1) == 0 && region.number("address").orElse(-1) == bar0);
  }
}
