package io.sluice.testbed.machine.nested;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.lang.foreign.ValueLayout;

/**
 * The program that drives a device through the kernel's VFIO, inside a machine: {@code NestedVfio
 * GROUP ADDRESS}. It prints a line per step and {@code nested: ok} last.
 */
public final class NestedVfio {
  private static final int BYTES = 1 << 16;
  private static final int TIMEOUT_MS = 60_000;

  private NestedVfio() {}

  /** Exits with a stack trace when a step fails. */
  public static void main(String[] arguments) {
    int group = Integer.parseInt(arguments[0]);
    Kernel kernel = RealKernel.create();
    try (AttachedDevice device = AttachedDevice.attach(kernel, group, arguments[1])) {
      step("attached, chipset 0x" + Integer.toHexString(device.register(GuestAbi.REG_CHIPSET)));
      if (device.ping(0x1234_5678_9abcL) != 0x1234_5678_9abcL) {
        throw new IllegalStateException("a call was answered wrong");
      }
      step("a call, completed by an MSI-X vector");
      copy(device);
      int before = device.register(GuestAbi.REG_GENERATION);
      device.reset();
      if (device.register(GuestAbi.REG_GENERATION) == before) {
        throw new IllegalStateException("the device was not reset");
      }
      step("reset");
    }
    System.out.println("nested: ok");
  }

  private static void copy(AttachedDevice device) {
    try (Space space = device.newSpace();
        Buffer source = device.allocateProcess(BYTES);
        Buffer video = device.allocateVideo(BYTES);
        Buffer result = device.allocateProcess(BYTES);
        ClientChannel channel = space.newChannel()) {
      GpuVa from = space.map(source);
      GpuVa through = space.map(video);
      GpuVa to = space.map(result);
      for (long i = 0; i < BYTES / 4; i++) {
        source.bytes().setAtIndex(ValueLayout.JAVA_INT, i, (int) i * 0x0019_660d);
      }
      int fence =
          channel.submitWithInterrupt(
              new Pushbuffer()
                  .bindEngines()
                  .copyM2mf(from, through, BYTES)
                  .copyM2mf(through, to, BYTES));
      if (!channel.awaitByInterrupt(fence, TIMEOUT_MS)) {
        throw new IllegalStateException("the channel's interrupt did not come");
      }
      if (result.bytes().mismatch(source.bytes()) != -1
          || video.bytes().mismatch(source.bytes()) != -1) {
        throw new IllegalStateException("the copy differs");
      }
      step("a copy through DMA mappings and the aperture, completed by a channel's vector");
    }
  }

  private static void step(String what) {
    System.out.println("nested: " + what);
  }
}
