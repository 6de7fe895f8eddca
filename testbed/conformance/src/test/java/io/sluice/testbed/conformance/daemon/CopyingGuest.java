package io.sluice.testbed.conformance.daemon;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.Space;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A process that is a daemon's guest: memory of its own with a ring in it, and video memory. */
final class CopyingGuest implements AutoCloseable {
  /** Of one copy. */
  static final int BYTES = 8 << 20;

  final AttachedDevice device;
  final Space space;
  final Buffer memory;
  final long at;
  final long video;
  final HopperRing ring;
  final MemorySegment control;

  CopyingGuest(Kernel kernel, Path socket) {
    this(kernel, socket, NvidiaRig.COPY_CLASS);
  }

  CopyingGuest(Kernel kernel, Path socket, int... classes) {
    device = AttachedDevice.attach(kernel, socket);
    space = device.newSpace();
    memory = device.allocateProcess(HopperRing.SIZE_BYTES + 2L * BYTES);
    at = space.map(memory).value();
    video = space.map(device.allocateVideo(BYTES)).value();
    int cid = device.newChannel(space, classes);
    device.startChannel(cid, at, HopperRing.ORDER);
    control = device.controlPage(cid);
    ring = new HopperRing(memory.bytes(), control, device.doorbell(), new GpuVa(at));
  }

  MemorySegment half(int index) {
    return memory.bytes().asSlice(HopperRing.SIZE_BYTES + (long) index * BYTES, BYTES);
  }

  boolean copy(long from, long to) {
    long done =
        ring.submitWithRelease(
            new HopperCommands().bindCopy().copy(new GpuVa(from), new GpuVa(to), BYTES));
    return ring.await(done, System::nanoTime, NvidiaRig.TIMEOUT_NS);
  }

  boolean done(long submission) {
    return ring.await(submission, System::nanoTime, 10 * NvidiaRig.TIMEOUT_NS);
  }

  boolean roundTrip() {
    long first = at + HopperRing.SIZE_BYTES;
    return copy(first, video) && copy(video, first + BYTES);
  }

  @Override
  public void close() {
    device.close();
  }
}
