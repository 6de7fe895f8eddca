package io.sluice.migrate.memory;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.migrate.memory.TargetBuffers.BufferRange;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Video memory that is a file, as one lane fills it.
 *
 * <p>Pages are written rather than stored through a mapping: those that are new, which most are,
 * are then made without being zeroed first and without a fault each. But a file takes one writer at
 * a time, however many there are. A lane that finds another one writing stores its pages through a
 * mapping instead, which costs twice as much and waits for nobody. It has them made beforehand: a
 * host that has no memory left says so then, instead of killing who touches it.
 */
final class TargetFile implements TargetLane.Storage {
  private final Kernel kernel;
  private final SharedArea file;
  private final MemorySegment mapped; // all of it
  private final ReentrantLock writing;

  /** Where a run is put before it is written: the kernel takes no bytes of the heap. */
  private final MemorySegment staging =
      MemorySegment.ofBuffer(
          ByteBuffer.allocateDirect(PageFrames.MAX_PAGES * Fingerprint.PAGE_BYTES));

  /**
   * @param writing held by the lane that writes: one lock for all lanes of a file
   */
  TargetFile(Kernel kernel, MemoryTarget.MappedVideoMemory aperture, ReentrantLock writing) {
    this.kernel = kernel;
    file = aperture.file();
    mapped = aperture.mapped();
    this.writing = writing;
  }

  @Override
  public void store(BufferRange range, long offset, long length, ByteBuffer bytes) {
    boolean turn = writing.tryLock();
    if (!turn && putInMapping(offset, length, bytes)) {
      return;
    }
    if (!turn) {
      writing.lock();
    }
    try {
      write(offset, length, bytes);
    } finally {
      writing.unlock();
    }
  }

  private void write(long offset, long length, ByteBuffer bytes) {
    if (bytes.isDirect() && bytes.hasRemaining()) {
      kernel.pwrite(file.fd(), MemorySegment.ofBuffer(bytes), file.offset() + offset);
      return;
    }
    MemorySegment run = staging.asSlice(0, length);
    fill(run, bytes);
    kernel.pwrite(file.fd(), run, file.offset() + offset);
  }

  /** False when it cannot be had so; a write that is tried then says why, or can all the same. */
  private boolean putInMapping(long offset, long length, ByteBuffer bytes) {
    MemorySegment run = mapped.asSlice(offset, length);
    try {
      kernel.populate(run);
    } catch (SyscallException _) {
      return false;
    }
    fill(run, bytes);
    return true;
  }

  private static void fill(MemorySegment run, ByteBuffer bytes) {
    if (bytes.hasRemaining()) {
      run.copyFrom(MemorySegment.ofBuffer(bytes));
    } else {
      run.fill((byte) 0);
    }
  }

  @Override
  public void flush() {}

  @Override
  public boolean covers(long offset, long length) {
    return offset <= file.sizeBytes() - length;
  }
}
