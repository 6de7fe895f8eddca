package io.sluice.vdevice.pci;

import static io.sluice.abi.Layouts.WIRE_U32;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.vdevice.protocol.Limits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * BAR 0: the registers, the MSI-X table and the pending-bit array, all trapped.
 *
 * <p>Registers are words: reads of any width are cut from them, writes that are not whole words are
 * ignored, as are writes to what cannot be written; hardware does the same, and an error reply
 * would only make a client log. Used by the connection's thread.
 */
public final class Registers implements DeviceRegion {
  private static final int TABLE_END = GuestAbi.BAR0_MSIX_TABLE + 16 * Limits.MAX_VECTORS;

  /** The changing words behind registers, and the actions that they start. */
  public interface RegisterBackend {
    /** Never 0; changes when the device was reset or moved. */
    int generation();

    /** GPU time in nanoseconds. */
    long timeNs();

    /** Bytes of video memory the guest may use. */
    long vramBytes();

    /** The pending-bit array. */
    long pendingVectors();

    /** The guest filled a slot. Must not block. */
    void ringCall(int slot);

    /** The guest has work for an API session. Must not block. */
    void ringSession(int handle);

    /** The guest wants everything freed. Must not block. */
    void ringReset();
  }

  private final RegisterBackend backend;
  private final int[] constants = new int[GuestAbi.REG_CALL / 4];
  private final int[] msixTable = new int[4 * Limits.MAX_VECTORS];
  private int latchedTimeHi;

  /**
   * @param constants register offset to value, for the registers that never change
   */
  public Registers(RegisterBackend backend, ImmutableMap<Integer, Integer> constants) {
    this.backend = backend;
    constants.forEach((offset, value) -> this.constants[offset / 4] = value);
    reset();
  }

  /** As after power-on: all vectors masked. */
  public void reset() {
    for (int i = 0; i < msixTable.length; i++) {
      msixTable[i] = i % 4 == 3 ? 1 : 0;
    }
    latchedTimeHi = 0;
  }

  /** The MSI-X table as it was written by message; clients that emulate it write none. */
  public byte[] msixTable() {
    byte[] bytes = new byte[4 * msixTable.length];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(msixTable);
    return bytes;
  }

  /** Takes over an MSI-X table. */
  public void restoreMsixTable(byte[] bytes) {
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(msixTable);
  }

  @Override
  public long sizeBytes() {
    return GuestAbi.BAR0_SIZE;
  }

  @Override
  public void read(long offset, MemorySegment into, long at, int count) {
    if (count == 4 && (offset & 3) == 0) {
      into.set(WIRE_U32, at, word((int) offset));
      return;
    }
    int word = 0;
    for (int i = 0; i < count; i++) {
      int from = (int) offset + i;
      if (i == 0 || (from & 3) == 0) {
        word = word(from & ~3);
      }
      into.set(ValueLayout.JAVA_BYTE, at + i, (byte) (word >>> 8 * (from & 3)));
    }
  }

  @Override
  public void write(long offset, MemorySegment from, long at, int count) {
    if ((offset & 3) != 0) {
      return;
    }
    for (int i = 0; i + 4 <= count; i += 4) {
      setWord((int) offset + i, from.get(WIRE_U32, at + i));
    }
  }

  private int word(int offset) {
    if (offset < GuestAbi.REG_CALL) {
      return switch (offset) {
        case GuestAbi.REG_GENERATION -> backend.generation();
        case GuestAbi.REG_VRAM_LO -> (int) backend.vramBytes();
        case GuestAbi.REG_VRAM_HI -> (int) (backend.vramBytes() >>> 32);
        case GuestAbi.REG_PTIMER_LO -> latchTime();
        case GuestAbi.REG_PTIMER_HI -> latchedTimeHi;
        default -> constants[offset / 4];
      };
    }
    if (offset >= GuestAbi.BAR0_MSIX_TABLE && offset < TABLE_END) {
      return msixTable[(offset - GuestAbi.BAR0_MSIX_TABLE) / 4];
    }
    return switch (offset) {
      case GuestAbi.BAR0_MSIX_PBA -> (int) backend.pendingVectors();
      case GuestAbi.BAR0_MSIX_PBA + 4 -> (int) (backend.pendingVectors() >>> 32);
      default -> 0;
    };
  }

  private int latchTime() {
    long now = backend.timeNs();
    latchedTimeHi = (int) (now >>> 32);
    return (int) now;
  }

  private void setWord(int offset, int value) {
    if (offset == GuestAbi.REG_CALL) {
      backend.ringCall(value);
    } else if (offset == GuestAbi.REG_API_DOORBELL) {
      backend.ringSession(value);
    } else if (offset == GuestAbi.REG_RESET) {
      if (value == GuestAbi.MAGIC) {
        backend.ringReset();
      }
    } else if (offset >= GuestAbi.BAR0_MSIX_TABLE && offset < TABLE_END) {
      int index = (offset - GuestAbi.BAR0_MSIX_TABLE) / 4;
      msixTable[index] = index % 4 == 3 ? value & 1 : value;
    }
  }
}
