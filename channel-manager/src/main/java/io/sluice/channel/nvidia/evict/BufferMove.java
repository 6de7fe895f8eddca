package io.sluice.channel.nvidia.evict;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.channel.nvidia.memory.Chunk;
import io.sluice.channel.nvidia.memory.NvidiaMemory;
import io.sluice.channel.nvidia.memory.OpenSpaces;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.submit.CopyQueue;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One move of buffers of a guest to host memory, or back. The engine copies all of them without a
 * pause; meanwhile what is copied to is mapped, and what is through given back. Under the locks of
 * the guest, of {@link EvictionPool} and of its open.
 */
public final class BufferMove {
  private static final Logger log = LoggerFactory.getLogger(BufferMove.class);

  private final EvictionPool pool;
  private final RmOpen guest;
  private final OpenSpaces spaces;
  private final EvictionPool.Own own;
  private final CopyQueue queue;
  private final boolean out;

  /**
   * A buffer under way.
   *
   * @param video the guest's handle of the video memory, before or afterwards
   * @param chunks the host memory, afterwards or before
   * @param object our handle of the video memory
   * @param alias its address in our monitor's space
   * @param copied what its last copy releases
   */
  private record MovingBuffer(
      NvidiaMemory.Video buffer,
      int video,
      List<Chunk> chunks,
      int object,
      GpuVa alias,
      long copied) {}

  /**
   * @param own the open that the host memory belongs to
   * @param queue copies there
   * @param out whether to host memory
   */
  BufferMove(
      EvictionPool pool,
      RmOpen guest,
      OpenSpaces spaces,
      EvictionPool.Own own,
      CopyQueue queue,
      boolean out) {
    this.pool = pool;
    this.guest = guest;
    this.spaces = spaces;
    this.own = own;
    this.queue = queue;
    this.out = out;
  }

  /**
   * @return how many are where they are wanted, from the first on
   * @throws RefusedException not even the first is
   */
  int run(List<NvidiaMemory.Video> buffers) {
    List<MovingBuffer> steps = new ArrayList<>(buffers.size());
    int moved = 0;
    try {
      for (NvidiaMemory.Video buffer : buffers) {
        if (buffer.isSystem() != out) {
          steps.add(begin(buffer));
        }
        moved++;
      }
    } catch (RefusedException e) {
      if (moved == 0) {
        throw e;
      }
      log.atWarn().addKeyValue("moved", moved).setCause(e).log("no room for more buffers");
    }
    int ended = 0;
    try {
      steps.forEach(this::map);
      for (; ended < steps.size(); ended++) {
        queue.await(steps.get(ended).copied());
        end(steps.get(ended));
      }
    } finally {
      steps.subList(ended, steps.size()).forEach(this::end);
    }
    return moved;
  }

  /** Finds room, and has the engine copy there. */
  private MovingBuffer begin(NvidiaMemory.Video buffer) {
    buffer.dropAlias();
    List<Runnable> undo = new ArrayList<>();
    boolean complete = false;
    try {
      int video = out ? buffer.object() : buffer.allocateAgain();
      if (!out) {
        undo.add(() -> guest.free(video));
      }
      RmClient client = own.client();
      int object = client.dup(guest.client(), video);
      undo.add(() -> client.free(client.device(), object));
      GpuVa alias = own.monitor().alias(object, buffer.sizeBytes(), buffer.alignment());
      undo.add(() -> own.monitor().removeAlias(object, buffer.sizeBytes(), alias));
      List<Chunk> chunks = new ArrayList<>();
      if (out) {
        undo.add(() -> pool.giveBack(guest, chunks));
      }
      long[] copied = new long[1];
      undo.add(() -> queue.await(copied[0]));
      copy(buffer, alias, chunks, copied);
      complete = true;
      return new MovingBuffer(buffer, video, chunks, object, alias, copied[0]);
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  /**
   * Begins to copy to or from each chunk as soon as it is known.
   *
   * @param video where the video memory begins
   * @param chunks receives them
   * @param copied receives what the last copy so far releases
   */
  private void copy(NvidiaMemory.Video buffer, GpuVa video, List<Chunk> chunks, long[] copied) {
    List<Chunk> former = out ? List.of() : buffer.chunks();
    long at = 0;
    while (at < buffer.sizeBytes()) {
      Chunk chunk =
          out
              ? pool.takeOne(guest, Math.min(EvictionPool.CHUNK_BYTES, buffer.sizeBytes() - at))
              : former.get(chunks.size());
      chunks.add(chunk);
      GpuVa there = new GpuVa(video.value() + at);
      GpuVa here = chunk.memory().alias();
      copied[0] = queue.copy(out ? there : here, out ? here : there, chunk.bytes());
      at += chunk.bytes();
    }
  }

  /** An address that cannot be mapped again is the guest's loss, and a line in the log. */
  private void map(MovingBuffer step) {
    spaces.unmap(step.buffer());
    if (out) {
      step.buffer().toHost(step.chunks());
    } else {
      step.buffer().toVideo(step.video());
    }
    boolean _ = spaces.mapAgain(step.buffer());
  }

  /** Gives back what the buffer does not use. */
  private void end(MovingBuffer step) {
    own.monitor().removeAlias(step.object(), step.buffer().sizeBytes(), step.alias());
    own.open().free(step.object());
    boolean host = step.buffer().isSystem();
    if (host) {
      guest.free(step.video());
    } else {
      pool.giveBack(guest, step.chunks());
    }
  }
}
