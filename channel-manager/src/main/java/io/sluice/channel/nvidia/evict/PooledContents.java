package io.sluice.channel.nvidia.evict;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.memory.Chunk.SystemMemory;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.submit.CopyQueue;
import java.util.ArrayList;
import java.util.List;

/** The copy of what an object of a program held, in pieces of the pool. */
final class PooledContents implements ProgramCopier.KeptContents {
  private final EvictionPool pool;
  private final long bytes;
  private final List<SystemMemory> pieces;

  /**
   * @param pieces all of {@link EvictionPool#CHUNK_BYTES} but the last; given back with this
   */
  PooledContents(EvictionPool pool, long bytes, List<SystemMemory> pieces) {
    this.pool = pool;
    this.bytes = bytes;
    this.pieces = new ArrayList<>(pieces);
  }

  @Override
  public void copyTo(ProgramCopier by, int client, int object) {
    if (by != pool) {
      copyElsewhere((EvictionPool) by, client, object);
      return;
    }
    pool.inParts(
        client,
        object,
        bytes,
        (queue, alias, at, piece) ->
            queue.copy(
                pieces.get((int) (at / EvictionPool.CHUNK_BYTES)).alias(),
                EvictionPool.after(alias, at),
                piece));
  }

  /** By the pool of another card: in parts, between which others have its lock. */
  private void copyElsewhere(EvictionPool other, int client, int object) {
    int owner = pool.ownClient();
    int inPart = (int) (EvictionPool.PART_BYTES / EvictionPool.CHUNK_BYTES);
    for (int first = 0; first < pieces.size(); first += inPart) {
      long start = first * EvictionPool.CHUNK_BYTES;
      List<SystemMemory> part = pieces.subList(first, Math.min(first + inPart, pieces.size()));
      other.inOwn(own -> {
        CopyQueue queue = own.idleQueue();
        try (ForeignMemory target = ForeignMemory.of(own, queue, client, object, bytes)) {
          copyPart(own, queue, owner, part, EvictionPool.after(target.alias(), start));
        }
      });
    }
  }

  /**
   * All of them are mapped there meanwhile.
   *
   * @param owner RM's handle of the client that has them
   */
  private static void copyPart(
      EvictionPool.Own own, CopyQueue queue, int owner, List<SystemMemory> part, GpuVa to) {
    List<ForeignMemory> sources = new ArrayList<>();
    try {
      long last = 0;
      long at = 0;
      for (SystemMemory piece : part) {
        ForeignMemory source = ForeignMemory.of(own, queue, owner, piece.object(), piece.bytes());
        sources.add(source);
        last = queue.copy(source.alias(), EvictionPool.after(to, at), piece.bytes());
        at += piece.bytes();
      }
      queue.await(last);
    } finally {
      sources.forEach(ForeignMemory::close);
    }
  }

  @Override
  public void close() {
    pool.giveBack(pieces);
    pieces.clear();
  }
}
