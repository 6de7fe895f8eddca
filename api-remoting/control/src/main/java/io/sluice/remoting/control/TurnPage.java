package io.sluice.remoting.control;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The page that the daemon and a session host share, by which guests take turns at devices. It has
 * a line of 64 bytes for each device, in the order in which the host has named them:
 *
 * <pre>
 *   0  granted   by the daemon: 1 while the guest may begin work on the device
 *   4  claims    by the host: sessions that have work on it, or are about to
 *   8  waiting   by the host: sessions that wait for the turn
 *  12  progress  by the host: goes up when work has come to its end
 * </pre>
 *
 * <p>The host counts a claim, then looks whether it is granted; the daemon takes the grant back,
 * then looks for claims. Both orders are total, so one of them sees the other: work that nobody
 * granted does not begin, and a device with work on it goes to nobody else. What a host writes is
 * its word, no more.
 */
public final class TurnPage {
  /** Bytes of the page. */
  public static final long BYTES = 4096;

  /** Most devices. */
  public static final int MOST_DEVICES = 64;

  private static final long DEVICE_BYTES = 64;
  private static final long GRANTED = 0;
  private static final long CLAIMS = 4;
  private static final long WAITING = 8;
  private static final long PROGRESS = 12;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment page;

  /**
   * @param page of {@link #BYTES}, which both map
   */
  public TurnPage(MemorySegment page) {
    this.page = page.asSlice(0, BYTES);
  }

  private static long at(int device, long field) {
    return device * DEVICE_BYTES + field;
  }

  /** Grants a device, or takes it back; by the daemon. */
  public void grant(int device, boolean granted) {
    WORD.setVolatile(page, at(device, GRANTED), granted ? 1 : 0);
  }

  /** Whether work may begin on a device. */
  public boolean isGranted(int device) {
    return (int) WORD.getVolatile(page, at(device, GRANTED)) != 0;
  }

  /** Sessions that have work on a device. */
  public int claims(int device) {
    return (int) WORD.getVolatile(page, at(device, CLAIMS));
  }

  /**
   * Counts a session that has work, or has none any more; by the host.
   *
   * @return how many there are then
   */
  public int addClaims(int device, int more) {
    return (int) WORD.getAndAdd(page, at(device, CLAIMS), more) + more;
  }

  /** Sessions that wait for a device. */
  public int waiting(int device) {
    return (int) WORD.getVolatile(page, at(device, WAITING));
  }

  /** Counts a session that waits, or does no more; by the host. */
  public void addWaiting(int device, int more) {
    int _ = (int) WORD.getAndAdd(page, at(device, WAITING), more);
  }

  /** A number that changes when work on a device comes to its end. */
  public int progress(int device) {
    return (int) WORD.getVolatile(page, at(device, PROGRESS));
  }

  /** Work has come to its end; by the host. */
  public void advance(int device) {
    int _ = (int) WORD.getAndAdd(page, at(device, PROGRESS), 1);
  }
}
