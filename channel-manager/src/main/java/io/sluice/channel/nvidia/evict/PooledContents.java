package io.sluice.channel.nvidia.evict;

import io.sluice.channel.nvidia.memory.Chunk.SystemMemory;
import io.sluice.channel.nvidia.relay.ProgramCopier;
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
  public void copyTo(int client, int object) {
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

  @Override
  public void close() {
    pool.giveBack(pieces);
    pieces.clear();
  }
}
