package io.sluice.vdevice.state;

import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.record.Section;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import java.nio.ByteBuffer;

/**
 * The virtual device itself, beside the guest's tables and memory: what its client sees of calls,
 * events, vectors and the PCI function.
 *
 * <pre>
 * section 0x40, version 1, little-endian:
 *   event head, events lost, pending vectors u32
 *   executed u32[64]          sequence number of each slot's last call
 *   waiting  u32 n, u32[n]    entries that were rung and not executed, in order
 *   BAR 1    u8[0x8000]
 *   configuration space u8[256], MSI-X table u8[272]
 * </pre>
 *
 * @param eventHead the host's word of the event queue
 * @param eventsLost events dropped so far
 * @param pendingVectors vectors raised and not delivered
 * @param executed of each slot
 * @param waiting entries of the call queue
 * @param callArea BAR 1; nobody changes it
 * @param pci the PCI function
 */
public record DeviceState(
    int eventHead,
    int eventsLost,
    int pendingVectors,
    ImmutableIntArray executed,
    ImmutableIntArray waiting,
    ByteBuffer callArea,
    PciState pci) {
  /** Kind of section. */
  public static final int SECTION = 0x40;

  /** The entry of the call queue behind those of the slots: a reset. */
  public static final int RESET_CALL = GuestAbi.MAX_SLOTS;

  private static final int VERSION = 1;

  /** Refuses what no device is. */
  public DeviceState {
    if (executed.length() != GuestAbi.MAX_SLOTS || callArea.remaining() != GuestAbi.BAR1_SIZE) {
      throw damaged("a call area of another size");
    }
    if (waiting.length() > RESET_CALL + 1
        || waiting.stream().anyMatch(e -> e < 0 || e > RESET_CALL)
        || waiting.stream().distinct().count() != waiting.length()) {
      throw damaged("calls that cannot wait");
    }
    if (pendingVectors >>> Limits.MAX_VECTORS != 0) {
      throw damaged("vectors that do not exist");
    }
  }

  /** As a section. */
  public Section encode() {
    FieldWriter out = new FieldWriter().bits(eventHead).bits(eventsLost).bits(pendingVectors);
    executed.forEach(out::bits);
    out.bits(waiting.length());
    waiting.forEach(out::bits);
    out.raw(callArea).raw(ByteBuffer.wrap(pci.config())).raw(ByteBuffer.wrap(pci.msixTable()));
    return new Section(SECTION, VERSION, out.toBytes());
  }

  /**
   * The state that a section from anywhere holds.
   *
   * @throws RefusedException EPROTO
   */
  public static DeviceState decode(Section section) {
    if (section.id() != SECTION || section.version() != VERSION) {
      throw damaged("another section, " + section);
    }
    FieldReader in = new FieldReader(section.payload(), (_, what) -> damaged(what));
    int head = in.bits();
    int lost = in.bits();
    int vectors = in.bits();
    ImmutableIntArray executed = words(in, GuestAbi.MAX_SLOTS);
    ImmutableIntArray calls = words(in, in.count(RESET_CALL + 1, Integer.BYTES));
    ByteBuffer callArea = ByteBuffer.wrap(in.raw(GuestAbi.BAR1_SIZE));
    PciState pci = new PciState(in.raw(PciState.CONFIG_BYTES), in.raw(PciState.MSIX_TABLE_BYTES));
    in.end();
    return new DeviceState(head, lost, vectors, executed, calls, callArea, pci);
  }

  private static ImmutableIntArray words(FieldReader in, int count) {
    ImmutableIntArray.Builder words = ImmutableIntArray.builder(count);
    for (int i = 0; i < count; i++) {
      words.add(in.bits());
    }
    return words.build();
  }

  static RefusedException damaged(String what) {
    return new RefusedException(
        DeviceCode.STATE, Errno.EPROTO, "the state of a virtual device is damaged: " + what, "");
  }
}
