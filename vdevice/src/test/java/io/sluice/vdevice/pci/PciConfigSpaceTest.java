package io.sluice.vdevice.pci;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PciConfigSpaceTest {
  private static final int ALL_ONES = -1;

  private final MemorySegment buffer = Arena.ofAuto().allocate(512);

  private final PciConfigSpace config =
      new PciConfigSpace(
          new PciConfigSpace.Identity(
              ImmutableList.of(
                  region(0x4000),
                  region(0x8000),
                  region(1L << 32),
                  DeviceRegion.ABSENT,
                  region(0x80000),
                  DeviceRegion.ABSENT),
              17,
              0x10000,
              0x1_0000_0005L));

  private static DeviceRegion region(long size) {
    return new DeviceRegion() {
      @Override
      public long sizeBytes() {
        return size;
      }

      @Override
      public void read(long offset, MemorySegment into, long at, int count) {}

      @Override
      public void write(long offset, MemorySegment from, long at, int count) {}
    };
  }

  private int read(int offset, int bytes) {
    buffer.fill((byte) 0);
    config.read(offset, buffer, 8, bytes);
    return buffer.get(Layouts.WIRE_U32, 8);
  }

  private void write(int offset, int bytes, int value) {
    buffer.set(Layouts.WIRE_U32, 8, value);
    config.write(offset, buffer, 8, bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "0x00, 0x10f01af4", // device, vendor
    "0x08, 0x08800020", // class, revision
    "0x2c, 0x10f01af4", // subsystem
    "0x34, 0x00000040", // first capability
    "0x50, 0x00140009", // vendor capability: id, end of list, length
    "0x54, 0x43554c53", // magic
    "0x58, 0x00010000", // ABI
    "0x5c, 0x00000005", // capability bits
    "0x60, 0x00000001",
    "0x44, 0x00001000", // MSI-X table
    "0x48, 0x00002000", // MSI-X pending bits
    "0x24, 0x00000000", // BAR 5 is absent
  })
  void write_ofReadOnlyRegister_changesNothing(String offset, String expected) {
    int at = Integer.decode(offset);
    write(at, 4, ALL_ONES);
    write(at, 4, 0);
    assertThat(read(at, 4)).isEqualTo((int) (long) Long.decode(expected));
  }

  @Test
  void write_ofInterruptPin_staysZero() {
    write(0x3d, 1, ALL_ONES);
    assertThat(read(0x3d, 1)).isZero();
  }

  @Test
  void write_ofStatus_keepsTheCapabilityBit() {
    write(0x06, 2, 0);
    assertThat(read(0x06, 2)).isEqualTo(0x10);
  }

  @ParameterizedTest
  @CsvSource({
    "0x10, 0xffffc000", // 16 KiB
    "0x14, 0xffff8000", // 32 KiB
    "0x18, 0x0000000c", // 4 GiB, 64 bit, prefetchable: all of the lower half is size
    "0x1c, 0xffffffff",
    "0x20, 0xfff80000", // 512 KiB
    "0x24, 0x00000000",
    "0x30, 0x00000000", // no expansion ROM
  })
  void write_ofAllOnesToBar_readsSize(String offset, String expected) {
    int at = Integer.decode(offset);
    write(at, 4, ALL_ONES);
    assertThat(read(at, 4)).isEqualTo((int) (long) Long.decode(expected));
  }

  @Test
  void write_ofAddressToBar_readsItBackAligned() {
    write(0x10, 4, 0xfebf1234);
    assertThat(read(0x10, 4)).isEqualTo(0xfebf0000);
  }

  @Test
  void write_ofSingleByteOfBar_changesThatByteOnly() {
    write(0x10, 4, 0xfebf0000);
    write(0x13, 1, 0xfd);
    assertThat(read(0x10, 4)).isEqualTo(0xfdbf0000);
  }

  @Test
  void write_ofAllOnesToCommand_keepsKnownBitsOnly() {
    write(0x04, 2, ALL_ONES);
    assertThat(read(0x04, 2)).isEqualTo(0x0546);
  }

  @Test
  void write_ofMsixControl_keepsEnableMaskAndTableSize() {
    write(0x42, 2, ALL_ONES);
    assertThat(read(0x42, 2)).isEqualTo(0xc010);
    write(0x42, 2, 0);
    assertThat(read(0x42, 2)).isEqualTo(0x0010);
  }

  @Test
  void read_ofWholeSpace_isOneCopy() {
    MemorySegment all = Arena.ofAuto().allocate(256);
    config.read(0, all, 0, 256);
    assertThat(all.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0xf4);
    assertThat(all.get(ValueLayout.JAVA_BYTE, 0x40)).isEqualTo((byte) 0x11);
    assertThat(all.get(ValueLayout.JAVA_BYTE, 0x41)).isEqualTo((byte) 0x50);
  }

  @Test
  void reset_afterWrites_restoresPowerOnValues() {
    write(0x04, 2, 6);
    write(0x10, 4, ALL_ONES);
    write(0x3c, 1, 11);
    config.reset();
    assertThat(read(0x04, 2)).isZero();
    assertThat(read(0x10, 4)).isZero();
    assertThat(read(0x3c, 1)).isZero();
  }
}
