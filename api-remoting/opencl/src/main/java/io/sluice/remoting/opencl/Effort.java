package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The work that a call gives a device.
 *
 * @param queue of the device
 * @param waits events that it waits for
 * @param ns how long it is expected to take
 * @param items of a kernel, or 0
 * @param pace of that kernel
 */
record Effort(
    SessionObject queue,
    List<SessionObject> waits,
    long ns,
    long items,
    @Nullable KernelPace pace) {
  /** Memory is copied at least as fast. */
  private static final long BYTES_PER_NS = 4;

  /** A command on an image or a rectangle, whose bytes are not counted. */
  private static final long SOME_BYTES = 1 << 20;

  /** The work of a call; null for a call that gives a device none. */
  static @Nullable Effort of(OpenClCall call) {
    return switch (call) {
      case OpenClCall.Launch c -> launch(c);
      case OpenClCall.ReadBuffer c -> bytes(c.queue(), c.waits(), c.to().byteSize());
      case OpenClCall.WriteBuffer c -> bytes(c.queue(), c.waits(), c.from().byteSize());
      case OpenClCall.ReadRect c -> bytes(c.queue(), c.waits(), c.to().byteSize());
      case OpenClCall.WriteRect c -> bytes(c.queue(), c.waits(), c.from().byteSize());
      case OpenClCall.ReadImage c -> bytes(c.queue(), c.waits(), c.to().byteSize());
      case OpenClCall.WriteImage c -> bytes(c.queue(), c.waits(), c.from().byteSize());
      case OpenClCall.CopyBuffer c -> bytes(c.queue(), c.waits(), c.size());
      case OpenClCall.FillBuffer c -> bytes(c.queue(), c.waits(), c.size());
      case OpenClCall.MapBuffer c -> bytes(c.queue(), c.waits(), c.size());
      case OpenClCall.CopyRect c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      case OpenClCall.CopyImage c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      case OpenClCall.CopyImageToBuffer c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      case OpenClCall.CopyBufferToImage c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      case OpenClCall.FillImage c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      case OpenClCall.UnmapBuffer c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      case OpenClCall.Migrate c -> bytes(c.queue(), c.waits(), SOME_BYTES);
      default -> null;
    };
  }

  private static Effort bytes(SessionObject queue, List<SessionObject> waits, long bytes) {
    long ns = KernelPace.LEAST_NS + Math.max(0, bytes) / BYTES_PER_NS;
    return new Effort(queue, waits, ns, 0, null);
  }

  private static Effort launch(OpenClCall.Launch c) {
    double items = 1;
    for (long size : c.global()) {
      items *= Math.max(1, size);
    }
    KernelPace pace = Kernels.paceOf(c.kernel());
    return new Effort(c.queue(), c.waits(), pace.estimateNs((long) items), (long) items, pace);
  }
}
