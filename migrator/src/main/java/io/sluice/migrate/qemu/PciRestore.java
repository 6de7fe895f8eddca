package io.sluice.migrate.qemu;

import static io.sluice.vdevice.state.PciState.BUS_MASTER;
import static io.sluice.vdevice.state.PciState.COMMAND;

import io.sluice.abi.Iova;
import io.sluice.migrate.qmp.PciAddress;
import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.state.PciState;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * The restoring of the PCI function of a machine that has just been loaded to what the guest had
 * made of it: QEMU's stream has nothing of a vfio-user device, which arrives as after a reset.
 *
 * <p>The device writes its own function, by DMA to the memory-mapped configuration space and to its
 * MSI-X table. Only the bus-master bit, without which QEMU refuses DMA, must come from the monitor,
 * by the ports 0xcf8 and 0xcfc; the guest may be between its own writes to the two, so the latch is
 * put back. MSI-X is enabled last: QEMU then tells all vectors at once.
 */
final class PciRestore {
  private static final int CONFIG_ADDRESS = 0xcf8;
  private static final int CONFIG_DATA = 0xcfc;
  private static final int CACHE_LINE = 0x0c;
  private static final int INTERRUPT_LINE = 0x3c;
  private static final int BARS = 6;
  private static final int MEMORY_SPACE = 0x2;

  private final GuestDevice device;
  private final QemuMachine machine;
  private final Duration patience;

  /**
   * @param patience for the answer to each access
   */
  PciRestore(GuestDevice device, QemuMachine machine, Duration patience) {
    this.device = device;
    this.machine = machine;
    this.patience = patience;
  }

  /**
   * Restores the function at an address; blocks, and not for the device's own threads.
   *
   * @param space where the memory-mapped configuration space is
   */
  void run(PciAddress at, long space, PciState state) {
    int latch = machine.portRead(CONFIG_ADDRESS);
    machine.portWrite(CONFIG_ADDRESS, at.port(COMMAND));
    machine.portWrite(CONFIG_DATA, BUS_MASTER);
    machine.portWrite(CONFIG_ADDRESS, latch);

    long config = space + at.ecamOffset();
    ByteBuffer bars = ByteBuffer.allocate(BARS * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int bar = 0; bar < BARS; bar++) {
      bars.putInt(state.bar(bar));
    }
    // QEMU takes a longer write to registers apart, each as long as its registers are.
    device
        .memory()
        .dmaWrite(
            new Iova(config + PciState.barOffset(0)),
            MemorySegment.ofArray(bars.array()),
            patience);
    write(config + CACHE_LINE, state.word(CACHE_LINE), 1);
    write(config + INTERRUPT_LINE, state.word(INTERRUPT_LINE), 1);
    int command = state.word(COMMAND);
    if (state.usesMsix()) {
      write(config + COMMAND, command | BUS_MASTER | MEMORY_SPACE, 2);
      device
          .memory()
          .dmaWrite(
              new Iova(state.registersAddress() + PciState.MSIX_TABLE_OFFSET),
              MemorySegment.ofArray(state.msixTable()),
              patience);
      write(config + PciState.MSIX_CONTROL, state.word(PciState.MSIX_CONTROL), 2);
    }
    write(config + COMMAND, command, 2);
  }

  private void write(long address, int value, int bytes) {
    byte[] little = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      little[i] = (byte) (value >>> 8 * i);
    }
    device.memory().dmaWrite(new Iova(address), MemorySegment.ofArray(little), patience);
  }
}
