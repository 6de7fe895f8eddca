package io.sluice.gpu;

import io.sluice.abi.SyscallException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The taking back of memory that a guest touched without having allocated it: every free range of
 * the open is punched, a piece at a time, by the threads of grids at the guest's own expense. The
 * GPU's lock is held between the pieces only.
 */
final class Sweep implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);

  /** Most that is out of use at one time. */
  private static final long PIECE_BYTES = 16 << 20;

  private final GpuFile file;
  private final Aperture aperture;
  private long next;
  private long foundBytes;

  Sweep(GpuFile file, Aperture aperture) {
    this.file = file;
    this.aperture = aperture;
  }

  /** One piece; the next one is another task, so that others get the thread in between. */
  @Override
  public void run() {
    RangeAllocator.AllocatedRange piece = file.takeFree(aperture, next, PIECE_BYTES);
    if (piece == null) {
      file.swept(foundBytes);
      return;
    }
    next = piece.start() + piece.bytes();
    foundBytes += punch(piece);
    file.giveBack(aperture, piece);
    file.inBackground(this);
  }

  private long punch(RangeAllocator.AllocatedRange piece) {
    try {
      long before = aperture.file().allocatedBytes();
      aperture.punch(piece.start(), piece.bytes());
      return Math.max(0, before - aperture.file().allocatedBytes());
    } catch (SyscallException e) {
      LOG.atError().setCause(e).log("memory that a guest touched could not be taken back");
      return 0;
    }
  }
}
