package io.sluice.vdevice;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import io.sluice.vdevice.pci.DeviceRegion;
import io.sluice.vdevice.pci.MappedBar;
import io.sluice.vdevice.pci.Registers;
import java.util.Optional;

/** The BARs of the device: registers, calls, video memory, control pages, doorbell. */
final class DeviceBars {
  private DeviceBars() {}

  /** In the order of their numbers. */
  static ImmutableList<DeviceRegion> of(
      Kernel kernel, Registers registers, CallArea callArea, Guest guest) {
    DeviceRegion calls =
        new MappedBar(kernel, callArea.file(), 0, GuestAbi.BAR1_SIZE, GuestAbi.BAR1_SIZE);
    return ImmutableList.of(
        registers,
        calls,
        shared(kernel, guest.vramAperture()),
        DeviceRegion.ABSENT, // the upper half of BAR 2
        shared(kernel, Optional.of(guest.controlPages())),
        shared(kernel, guest.doorbell()));
  }

  private static DeviceRegion shared(Kernel kernel, Optional<SharedArea> area) {
    return area.<DeviceRegion>map(found ->
            new MappedBar(
                kernel,
                found.fd(),
                found.offset(),
                found.sizeBytes(),
                MappedBar.roundUpToPowerOfTwo(found.sizeBytes())))
        .orElse(DeviceRegion.ABSENT);
  }
}
