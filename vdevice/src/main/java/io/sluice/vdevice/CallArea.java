package io.sluice.vdevice;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.vdevice.state.SessionRecord;
import java.lang.foreign.MemorySegment;

/**
 * BAR 1: call slots, event queue and pending bitmap, in a file of its own that both sides map. Each
 * connection gets a new one, so that a client that is gone cannot reach into the next one's.
 */
final class CallArea implements AutoCloseable {
  private final Fd file;
  private final Mapping mapping;

  private CallArea(Fd file, Mapping mapping) {
    this.file = file;
    this.mapping = mapping;
  }

  static CallArea create(Kernel kernel, String guest) {
    Fd file = kernel.memfdCreate("sluice-calls-" + guest, GuestAbi.BAR1_SIZE);
    try {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL);
      return new CallArea(
          file, kernel.mmap(file, 0, GuestAbi.BAR1_SIZE, Kernel.PROT_READ | Kernel.PROT_WRITE));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * The area of a client that is taken over, as it is.
   *
   * @param file owned by the area, unless this fails
   */
  static CallArea adopt(Kernel kernel, Fd file) {
    SessionRecord.require(
        kernel.fstat(file).sizeBytes() == GuestAbi.BAR1_SIZE
            && (kernel.getSeals(file) & Kernel.F_SEAL_SHRINK) != 0,
        "the file of BAR 1");
    return new CallArea(
        file, kernel.mmap(file, 0, GuestAbi.BAR1_SIZE, Kernel.PROT_READ | Kernel.PROT_WRITE));
  }

  /** What the client maps; stays this area's. */
  Fd file() {
    return file;
  }

  /** The bytes, shared with the guest. */
  MemorySegment segment() {
    return mapping.segment();
  }

  /** All zeros, as after power-on. */
  void clear() {
    mapping.segment().fill((byte) 0);
  }

  @Override
  public void close() {
    mapping.close();
    file.close();
  }
}
