package io.sluice.migrate.memory;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.guest.GuestRestore;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The destination of video memory, which puts what is received where it belongs. The peer's word is
 * not taken for anything: pages go into buffers that the peer has announced and this GPU has
 * granted, and nowhere else.
 *
 * <p>The link's streams are divided among lanes, which store at the same time; which buffers there
 * are changes only while none does. A GPU's window is one lane's. One thread uses it.
 */
public final class MemoryTarget implements AutoCloseable {
  private final @Nullable ReceivedMemory received;
  private final TargetBuffers buffers;
  private final Lanes threads;
  private final List<TargetLane> lanes = new ArrayList<>();
  private final List<TargetLane> ready = new ArrayList<>();
  private final int[] worked; // by share of a run

  /**
   * Video memory that is a file.
   *
   * @param mapped all of it, to be written
   */
  public record MappedVideoMemory(SharedArea file, MemorySegment mapped) {}

  /**
   * @param move of the guest that is restored
   * @param aperture this GPU's video memory; empty where nobody can map it: then the GPU copies
   * @param link of several streams, if it can be used by several threads
   * @param threads for the lanes; their owner's
   */
  public MemoryTarget(
      GuestMove move,
      GuestRestore restore,
      Optional<MappedVideoMemory> aperture,
      Kernel kernel,
      MigrationLink link,
      Lanes threads) {
    this.threads = threads;
    buffers = new TargetBuffers(restore, aperture.isPresent());
    received =
        aperture.isEmpty()
            ? new ReceivedMemory(restore, move.openWindow(ReceivedMemory.WINDOW_BYTES, kernel))
            : null;
    int streams = link.dataStreams();
    ReentrantLock writing = new ReentrantLock();
    int count = received == null ? Math.min(threads.count(), streams) : 1;
    for (int i = 0; i < count; i++) {
      int first = 1 + i;
      TargetLane.Storage storage =
          received == null ? new TargetFile(kernel, aperture.orElseThrow(), writing) : received;
      int[] own = IntStream.iterate(first, s -> s <= streams, s -> s + count).toArray();
      lanes.add(new TargetLane(link, buffers, storage, own));
    }
    worked = new int[count];
  }

  /** Takes BUFFER or BUFFER_GONE. */
  public void control(Frame frame) {
    if (frame.type() == FrameType.BUFFER) {
      buffers.add(frame);
    } else {
      if (received != null) {
        received.flush();
      }
      buffers.remove(frame);
    }
  }

  /**
   * Takes what has come on the streams of pages; how many frames. No lane works any more when it
   * returns, or throws.
   */
  public int work() {
    ready.clear();
    for (TargetLane lane : lanes) {
      if (lane.isReady()) {
        ready.add(lane);
      }
    }
    if (ready.isEmpty()) {
      return 0;
    }
    threads.run(ready.size(), share -> worked[share] = ready.get(share).work());
    int all = 0;
    for (int i = 0; i < ready.size(); i++) {
      all += worked[i];
    }
    return all;
  }

  /** The pass whose barrier has come on every stream; 0 before the first. */
  public int passReached() {
    return lanes.stream().mapToInt(TargetLane::passReached).min().orElse(0);
  }

  /** Pages received, zeros included. */
  public long pages() {
    return lanes.stream().mapToLong(TargetLane::pages).sum();
  }

  /** Lets go of the window onto video memory, if there is one. */
  @Override
  public void close() {
    if (received != null) {
      received.close();
    }
  }
}
