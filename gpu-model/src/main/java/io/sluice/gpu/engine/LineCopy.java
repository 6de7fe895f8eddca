package io.sluice.gpu.engine;

import io.sluice.gpu.layout.BlockLinear;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of lines between two images, pitched or block-linear, in pieces that fit the channel's
 * slice, so that a copy of any length can be interrupted, killed, or moved to another GPU in the
 * middle.
 */
final class LineCopy {
  /**
   * Most bytes copied between two looks at the budget: enough for the copy routine to bypass the
   * cache, which pays above 2.5 MiB.
   */
  private static final long PIECE_BYTES = 4 << 20;

  /** What a piece costs beside its bytes and new pages: two translations. */
  private static final long PIECE_UNITS = 64;

  /**
   * A byte of an evicted buffer costs as many of the slice: it would come over the bus, which has
   * about so much less to give than video memory.
   */
  private static final long EVICTED_COST = 8;

  private final EngineHost host;
  private final GpuUnit unit;
  private final Run from = new Run();
  private final Run to = new Run();
  private @Nullable BlockLinear sourceTiles;
  private @Nullable BlockLinear targetTiles;
  private long source;
  private long target;
  private long sourcePitch;
  private long targetPitch;
  private long lineBytes;
  private long lines;
  private long line;
  private long done;

  LineCopy(EngineHost host, GpuUnit unit) {
    this.host = host;
    this.unit = unit;
  }

  /**
   * How the images lie in memory, before a copy is set up, and again after one was restored: this
   * is not saved here.
   *
   * @param newSource null for a pitched one
   * @param newTarget null for a pitched one
   */
  void layOut(@Nullable BlockLinear newSource, @Nullable BlockLinear newTarget) {
    sourceTiles = newSource;
    targetTiles = newTarget;
  }

  /**
   * Sets a copy up.
   *
   * @param newSource GPU address of the first line
   * @param newTarget GPU address of the first line
   * @param newSourcePitch bytes from line to line
   * @param newTargetPitch bytes from line to line
   * @param newLineBytes bytes copied of each line, up to 2^32 - 1
   * @param newLines number of lines, up to 2^32 - 1
   */
  void start(
      long newSource,
      long newTarget,
      long newSourcePitch,
      long newTargetPitch,
      long newLineBytes,
      long newLines) {
    source = newSource;
    target = newTarget;
    sourcePitch = newSourcePitch;
    targetPitch = newTargetPitch;
    lineBytes = newLineBytes;
    lines = newLineBytes == 0 ? 0 : newLines;
    line = 0;
    done = 0;
    boolean pitched = sourceTiles == null && targetTiles == null;
    boolean gapless = pitched && sourcePitch == lineBytes && targetPitch == lineBytes;
    if (gapless && lines > 1 && Math.multiplyHigh(lineBytes, lines) == 0 && lineBytes * lines > 0) {
      lineBytes *= lines;
      lines = 1;
    }
  }

  /** Copies until the end of the copy or of the slice, but at least one piece. */
  Outcome run() {
    while (line < lines) {
      long fromAddress = addressOf(sourceTiles, source, sourcePitch);
      long toAddress = addressOf(targetTiles, target, targetPitch);
      long wanted = contiguous(targetTiles, contiguous(sourceTiles, pieceBytes()));
      FaultReason reason = host.translate(fromAddress, wanted, false, from);
      if (reason != FaultReason.NONE) {
        return host.pageFault(reason, false, unit, fromAddress);
      }
      reason = host.translate(toAddress, granted(from), true, to);
      if (reason != FaultReason.NONE) {
        return host.pageFault(reason, true, unit, toAddress);
      }
      long bytes = granted(to);
      MemorySegment.copy(from.segment(), from.offset(), to.segment(), to.offset(), bytes);
      host.spend(PIECE_UNITS + (from.isEvicted() || to.isEvicted() ? EVICTED_COST : 1) * bytes);
      done += bytes;
      if (done == lineBytes) {
        done = 0;
        line++;
      }
      if (!host.hasBudget() && line < lines) {
        return Outcome.PENDING;
      }
    }
    return Outcome.DONE;
  }

  private static long granted(Run run) {
    return run.isEvicted() ? Math.min(run.length(), PIECE_BYTES / EVICTED_COST) : run.length();
  }

  private long pieceBytes() {
    return Math.min(lineBytes - done, PIECE_BYTES);
  }

  private long addressOf(@Nullable BlockLinear tiles, long first, long pitch) {
    return tiles == null ? first + line * pitch + done : tiles.addressOf(line, done);
  }

  private long contiguous(@Nullable BlockLinear tiles, long most) {
    return tiles == null ? most : Math.min(most, tiles.contiguousBytes(done));
  }

  void save(ByteBuffer buffer) {
    buffer.putLong(source).putLong(target).putLong(sourcePitch).putLong(targetPitch);
    buffer.putLong(lineBytes).putLong(lines).putLong(line).putLong(done);
  }

  void restore(ByteBuffer buffer) {
    source = buffer.getLong();
    target = buffer.getLong();
    sourcePitch = buffer.getLong();
    targetPitch = buffer.getLong();
    lineBytes = buffer.getLong();
    lines = buffer.getLong();
    line = buffer.getLong();
    done = buffer.getLong();
    boolean inside = line >= 0 && line <= lines && done >= 0;
    if (!inside || (line < lines && done >= lineBytes)) {
      throw new IllegalArgumentException("copy progress out of range, line=" + line);
    }
  }
}
