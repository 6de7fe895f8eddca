package io.sluice.testbed.conformance.daemon;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.Space;
import io.sluice.testbed.conformance.rig.BusyGuest;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A {@link BusyGuest} that is a guest of a daemon. */
final class DaemonGuest implements AutoCloseable {
  private static final long SPACING_NS = 25_000;

  final AttachedDevice device;
  final BusyGuest busy;
  private final @Nullable HopperKernel kernel;

  private DaemonGuest(AttachedDevice device, BusyGuest busy, @Nullable HopperKernel kernel) {
    this.device = device;
    this.busy = busy;
    busy.whenMoved(device::mapDoorbell);
    this.kernel = kernel;
  }

  /** Attaches, with everything that it needs and nothing in its video memory. */
  static DaemonGuest attach(
      Kernel system, Path socket, int window, @Nullable HopperKernel kernel, int microseconds) {
    AttachedDevice device = AttachedDevice.attach(system, socket);
    Buffer ram = device.allocateProcess(BusyGuest.RAM_BYTES);
    Buffer video = device.allocateVideo(BusyGuest.VIDEO_BYTES);
    Space space = device.newSpace();
    long ring = NvidiaRig.RING.value();
    var _ = space.map(ram, ring, ring + BusyGuest.RAM_BYTES);
    var _ = space.map(video, BusyGuest.VIDEO, BusyGuest.VIDEO + BusyGuest.VIDEO_BYTES);
    int cid =
        kernel == null
            ? device.newChannel(space, NvidiaRig.COPY_CLASS)
            : device.newChannel(space, NvidiaRig.COPY_CLASS, NvidiaRig.COMPUTE_CLASS);
    device.setupSegment(cid, BusyGuest.setup(kernel != null));
    device.startChannel(cid, ring, HopperRing.ORDER);
    BusyGuest.Pages pages = new BusyGuest.Pages(device.controlPage(cid), device.doorbell());
    return new DaemonGuest(
        device, new BusyGuest(ram.bytes(), pages, window, kernel, microseconds), kernel);
  }

  /**
   * Attaches with the memory that another one has shared, in the same order, and nothing on the
   * GPU: a checkpoint of the other brings that.
   *
   * @param cid of the other's channel
   */
  static DaemonGuest empty(Kernel system, Path socket, int cid, DaemonGuest former) {
    AttachedDevice device = AttachedDevice.attach(system, socket);
    Buffer ram = device.allocateProcess(BusyGuest.RAM_BYTES);
    var _ = device.reset(); // the host knows of no buffer any more, and still of the memory
    BusyGuest.Pages pages = new BusyGuest.Pages(device.controlPage(cid), device.doorbell());
    return new DaemonGuest(
        device, new BusyGuest(ram.bytes(), pages, 64, former.kernel, 0), former.kernel);
  }

  /** Fills video memory with what stays, and starts to submit. */
  void start() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment image = arena.allocate(BusyGuest.VIDEO_BYTES);
      BusyGuest.fillStill(image);
      busy.transfer(image, true);
    }
    busy.setSpacingNs(SPACING_NS);
    busy.start();
  }

  /** Reads video memory back and compares all of it with what was submitted. */
  void verify() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment image = arena.allocate(BusyGuest.VIDEO_BYTES);
      busy.transfer(image, false);
      busy.verify(image);
    }
  }

  @Override
  public void close() {
    device.close();
  }
}
