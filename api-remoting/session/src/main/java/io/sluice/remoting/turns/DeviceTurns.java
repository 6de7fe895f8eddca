package io.sluice.remoting.turns;

/**
 * The turns of a guest at devices that it shares with other guests. A session claims a device
 * before it gives it work, keeps the claim as long as there is some, and begins nothing new once
 * the turn is over. Devices are numbered. From any thread.
 */
public interface DeviceTurns {
  /**
   * Claims a device.
   *
   * @return false when it is not the guest's turn
   */
  boolean claim(int device);

  /** Whether it is still the guest's turn. */
  boolean isGranted(int device);

  /** Gives a claim back: nothing of the session is left on the device. */
  void release(int device);

  /**
   * Waits for a device: the claim is to be tried again, now and whenever the session is woken.
   *
   * @param waker wakes the session, from any thread
   */
  void await(int device, Runnable waker);

  /** Waits no more. */
  void leave(int device, Runnable waker);

  /** Work on a device has come to its end. */
  void advance(int device);

  /**
   * Counts work of the guest that is in a device's queues, or is no more.
   *
   * @param moreNs how long it is expected to take
   */
  void queue(int device, long moreNs);

  /** How long the guest's work in a device's queues is expected to take. */
  long queuedNs(int device);

  /** The turns of a guest that shares its devices with nobody. */
  static DeviceTurns alone() {
    return new LoneTurns();
  }
}
