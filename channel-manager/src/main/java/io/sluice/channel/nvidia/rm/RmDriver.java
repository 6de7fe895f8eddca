package io.sluice.channel.nvidia.rm;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmAbi;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.ioctl.NvCardInfo;
import io.sluice.abi.rm.ioctl.NvVersion;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The driver of this host: its version is looked at before anything else is asked of it.
 *
 * @param version as the driver says it
 * @param abi what it expects
 * @param cards what it drives
 */
public record RmDriver(String version, RmAbi abi, List<RmCard> cards) {
  /**
   * Asks the driver.
   *
   * @throws RefusedException SLU-RM-001 for a version that is not known, SLU-RM-002 when it does
   *     not answer
   */
  public static RmDriver probe(RmPort port) {
    try (Fd control = port.openControl();
        Arena arena = Arena.ofConfined()) {
      String version = version(port, control, arena);
      RmAbi abi = RmAbi.of(version);
      return new RmDriver(version, abi, cards(port, abi, control, arena));
    }
  }

  private static String version(RmPort port, Fd control, Arena arena) {
    MemorySegment argument = arena.allocate(NvVersion.LAYOUT);
    NvVersion.CMD.setBits(argument, NvVersion.QUERY);
    // The one ioctl whose layout cannot depend on the version.
    long request = RmIoctl.CHECK_VERSION_STR.request(NvVersion.SIZE);
    port.ioctl(control, RmIoctl.CHECK_VERSION_STR, request, argument);
    MemorySegment text = NvVersion.VERSION_STRING.slice(argument);
    if (text.get(ValueLayout.JAVA_BYTE, text.byteSize() - 1) != 0) {
      throw new RefusedException(
          RmCode.NO_VERSION, Errno.EPROTO, "the NVIDIA driver names no version of itself", "");
    }
    return text.getString(0, StandardCharsets.US_ASCII);
  }

  private static List<RmCard> cards(RmPort port, RmAbi abi, Fd control, Arena arena) {
    MemorySegment all = arena.allocate(abi.layout(RmIoctl.CARD_INFO));
    port.ioctl(control, RmIoctl.CARD_INFO, abi.request(RmIoctl.CARD_INFO), all);
    List<RmCard> cards = new ArrayList<>();
    for (int i = 0; i < NvCardInfo.MAX_CARDS; i++) {
      MemorySegment card = all.asSlice(i * NvCardInfo.SIZE, NvCardInfo.SIZE);
      if (NvCardInfo.VALID.get(card) != 0) {
        cards.add(
            new RmCard(
                NvCardInfo.GPU_ID.bits(card),
                NvCardInfo.MINOR_NUMBER.bits(card),
                String.format(
                    Locale.ROOT,
                    "%04x:%02x:%02x.%x",
                    NvCardInfo.DOMAIN.bits(card),
                    NvCardInfo.BUS.get(card),
                    NvCardInfo.SLOT.get(card),
                    NvCardInfo.FUNCTION.get(card)),
                NvCardInfo.VENDOR.get(card),
                NvCardInfo.DEVICE.get(card)));
      }
    }
    return List.copyOf(cards);
  }

  /**
   * The card of a PCI address or a node; the first one for an empty text.
   *
   * @param which {@code 0000:65:00.0} or {@code /dev/nvidia0}
   * @throws RefusedException SLU-RM-003, naming those there are
   */
  public RmCard card(String which) {
    return cards.stream()
        .filter(card ->
            which.isEmpty()
                || card.pciAddress().equals(which)
                || card.node().toString().equals(which))
        .findFirst()
        .orElseThrow(() ->
            new RefusedException(
                RmCode.NO_CARD,
                Errno.ENODEV,
                "the NVIDIA driver has no such card, card="
                    + which
                    + " cards="
                    + cards.stream().map(RmCard::pciAddress).toList(),
                "Configure one of the cards it has."));
  }
}
