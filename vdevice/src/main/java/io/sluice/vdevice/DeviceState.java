package io.sluice.vdevice;

import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.record.Section;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

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

  private static final int VERSION = 1;
  private static final int FIXED_BYTES =
      4 * (3 + GuestAbi.MAX_SLOTS + 1)
          + GuestAbi.BAR1_SIZE
          + PciState.CONFIG_BYTES
          + PciState.MSIX_TABLE_BYTES;

  /** Refuses what no device is. */
  public DeviceState {
    if (executed.length() != GuestAbi.MAX_SLOTS || callArea.remaining() != GuestAbi.BAR1_SIZE) {
      throw damaged("a call area of another size");
    }
    if (waiting.length() > CallExecutor.RESET + 1
        || waiting.stream().anyMatch(e -> e < 0 || e > CallExecutor.RESET)
        || waiting.stream().distinct().count() != waiting.length()) {
      throw damaged("calls that cannot wait");
    }
    if (pendingVectors >>> VectorTable.MAX_VECTORS != 0) {
      throw damaged("vectors that do not exist");
    }
  }

  /** As a section. */
  public Section encode() {
    ByteBuffer out =
        ByteBuffer.allocate(FIXED_BYTES + 4 * waiting.length()).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(eventHead).putInt(eventsLost).putInt(pendingVectors);
    executed.forEach(out::putInt);
    out.putInt(waiting.length());
    waiting.forEach(out::putInt);
    out.put(callArea.duplicate()).put(pci.config()).put(pci.msixTable());
    return new Section(SECTION, VERSION, out.array());
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
    ByteBuffer in = section.payload();
    if (in.remaining() < FIXED_BYTES) {
      throw damaged("too few bytes");
    }
    int head = in.getInt();
    int lost = in.getInt();
    int vectors = in.getInt();
    ImmutableIntArray executed = words(in, GuestAbi.MAX_SLOTS);
    int waiting = in.getInt();
    if (waiting < 0
        || in.remaining() != FIXED_BYTES - 4 * (4 + GuestAbi.MAX_SLOTS) + 4L * waiting) {
      throw damaged("a list of another length");
    }
    ImmutableIntArray calls = words(in, waiting);
    return new DeviceState(
        head,
        lost,
        vectors,
        executed,
        calls,
        ByteBuffer.wrap(bytes(in, GuestAbi.BAR1_SIZE)),
        new PciState(bytes(in, PciState.CONFIG_BYTES), bytes(in, PciState.MSIX_TABLE_BYTES)));
  }

  private static ImmutableIntArray words(ByteBuffer in, int count) {
    ImmutableIntArray.Builder words = ImmutableIntArray.builder(count);
    for (int i = 0; i < count; i++) {
      words.add(in.getInt());
    }
    return words.build();
  }

  private static byte[] bytes(ByteBuffer in, int count) {
    byte[] bytes = new byte[count];
    in.get(bytes);
    return bytes;
  }

  static RefusedException damaged(String what) {
    return new RefusedException(
        "SLU-REC-020", Errno.EPROTO, "the state of a virtual device is damaged: " + what, "");
  }
}
