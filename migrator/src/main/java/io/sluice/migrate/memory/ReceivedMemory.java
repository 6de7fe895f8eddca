package io.sluice.migrate.memory;

import io.sluice.channel.guest.GuestRestore;
import io.sluice.channel.guest.MemoryWindow;
import io.sluice.migrate.memory.TargetBuffers.BufferRange;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The way of pages into video memory that no processor sees: they are collected in a window of host
 * memory, from where the GPU takes them. One thread uses it.
 */
final class ReceivedMemory implements TargetLane.Storage, AutoCloseable {
  static final long WINDOW_BYTES = 16L << 20;

  private final GuestRestore restore;
  private final MemoryWindow window;
  private long used;

  // The range that the GPU has not taken yet.
  private long serial;
  private long offset;
  private long from;
  private long bytes;

  /**
   * @param window {@link #WINDOW_BYTES}, owned by this
   */
  ReceivedMemory(GuestRestore restore, MemoryWindow window) {
    this.restore = restore;
    this.window = window;
  }

  @Override
  public void store(BufferRange range, long onTheWay, long length, ByteBuffer source) {
    long ofSerial = range.record().serial();
    long atOffset = onTheWay - range.offset();
    long done = 0;
    while (done < length) {
      if (used == WINDOW_BYTES) {
        flush();
        used = 0;
      }
      long piece = Math.min(length - done, WINDOW_BYTES - used);
      if (ofSerial != serial || atOffset + done != offset + bytes || used != from + bytes) {
        flush();
        serial = ofSerial;
        offset = atOffset + done;
        from = used;
      }
      MemorySegment into = window.bytes().asSlice(used, piece);
      if (source.hasRemaining()) {
        MemorySegment.copy(MemorySegment.ofBuffer(source), done, into, 0, piece);
      } else {
        into.fill((byte) 0);
      }
      used += piece;
      bytes += piece;
      done += piece;
    }
  }

  @Override
  public void flush() {
    if (bytes > 0) {
      restore.write(window, from, serial, offset, bytes);
      bytes = 0;
    }
  }

  /** Places are only numbers here. */
  @Override
  public boolean covers(long onTheWay, long length) {
    return true;
  }

  @Override
  public void close() {
    window.close();
  }
}
