package io.sluice.vdevice;

import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.vdevice.dma.ClientMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * The memory of the guest that is attached to a device: by asking its client, which then sees the
 * access, and as the client has shared it. From any thread.
 */
public final class AttachedMemory {
  private final Seat seat;

  AttachedMemory(Seat seat) {
    this.seat = seat;
  }

  /**
   * Reads the attached guest's memory by asking its client, which sees the access. Blocks: not for
   * the threads of this device, and QEMU answers only while its machine does not wait for us.
   *
   * @throws RefusedException the client's error; ETIMEDOUT; ENOTCONN when none is attached
   */
  public void dmaRead(Iova address, MemorySegment into, Duration timeout) {
    seat.attached().clientMemory().read(address, into, timeout);
  }

  /**
   * Writes the attached guest's memory by asking its client: QEMU then knows that the pages are
   * dirty. Otherwise as {@link #dmaRead}.
   *
   * @throws RefusedException the client's error; ETIMEDOUT; ENOTCONN when none is attached
   */
  public void dmaWrite(Iova address, MemorySegment from, Duration timeout) {
    seat.attached().clientMemory().write(address, from, timeout);
  }

  /**
   * Has the client see a write to each page of a range, with the bytes that are there: QEMU then
   * knows that the pages are dirty. Only while nobody else writes to them. Otherwise as {@link
   * #dmaRead}.
   *
   * @param bytes a multiple of 4096
   * @throws RefusedException EFAULT no shared memory; the client's error; ETIMEDOUT; ENOTCONN
   */
  public void touch(Iova first, long bytes, Duration timeout) {
    seat.attached().clientMemory().touch(first, bytes, timeout);
  }

  /**
   * Asks the guest to write by its own processors to each page of memory that it has registered,
   * which changes nothing: whoever copies the machine's memory then knows that they are dirty, and
   * the guest goes on meanwhile. Waits for a call that runs.
   *
   * @return what {@link #hasTouched} takes; 0 when the guest cannot be asked just now, or its
   *     driver does not know the question
   */
  public int askToTouch() {
    return seat.session().map(DeviceSession::askToTouch).orElse(0);
  }

  /**
   * Whether the guest says that it has done what it was asked to by {@link #askToTouch}.
   *
   * @param code never 0
   */
  public boolean hasTouched(int code) {
    return seat.session().map(session -> session.hasTouched(code)).orElse(false);
  }

  /**
   * Waits until the client has answered each write that it was asked for by {@link #dmaWrite} and
   * {@link #touch}, also those that have failed with ETIMEDOUT and that it may yet do; or until it
   * is gone. As long as it takes.
   */
  public void awaitWrites() {
    seat.session().map(DeviceSession::clientMemory).ifPresent(ClientMemory::awaitWrites);
  }

  /**
   * Copies memory that the client has shared, without its knowing.
   *
   * @throws RefusedException EFAULT no shared memory there; ENOTCONN
   */
  public void readMemory(Iova address, MemorySegment into) {
    seat.attached().dma().read(address, into);
  }

  /**
   * Writes memory that the client has shared, without its knowing.
   *
   * @throws RefusedException EFAULT no shared memory there, or only to be read; ENOTCONN
   */
  public void writeMemory(Iova address, MemorySegment from) {
    seat.attached().dma().write(address, from);
  }
}
