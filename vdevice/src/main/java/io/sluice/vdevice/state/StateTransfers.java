package io.sluice.vdevice.state;

import io.sluice.channel.guest.Guest;
import java.lang.foreign.MemorySegment;

/**
 * The port by which a client that speaks VFIO's migration protocol gets a device's state out, and
 * into another: the one that the migration engine implements. Everything is called by the thread
 * that serves the client.
 */
public interface StateTransfers {
  /** The device that moves. */
  interface Device {
    /** The operator's name of the guest. */
    String name();

    /** The guest behind it. */
    Guest guest();

    /** The device as it stands, while it stands still. */
    DeviceState save();

    /** Becomes the device that a state says, PCI function included, while it stands still. */
    void restore(DeviceState state);

    /** Goes on as what it was restored to. */
    void releaseRestored();
  }

  /**
   * The client is about to move a device, or to watch what it writes.
   *
   * @throws io.sluice.abi.RefusedException EBUSY when somebody else moves it
   */
  void admit(Device device);

  /**
   * Begins to save a device.
   *
   * @throws io.sluice.abi.RefusedException when it cannot be saved now
   */
  StateOutput save(Device device);

  /**
   * Begins to make an empty device what another was.
   *
   * @throws io.sluice.abi.RefusedException when it cannot be made that now
   */
  StateInput resume(Device device);

  /** A device's state on its way out. Closing it ends that, whatever was read. */
  interface StateOutput extends AutoCloseable {
    /** The device stands still: what is left can be read to its end. */
    void stopped();

    /**
     * The next bytes.
     *
     * @return how many; fewer than there is room for when there are no more, or, while the device
     *     runs, none now
     * @throws io.sluice.abi.RefusedException when the state cannot be had
     */
    int read(MemorySegment into);

    @Override
    void close();
  }

  /** A device's state on its way in. Closing it before {@link #run} leaves the guest empty. */
  interface StateInput extends AutoCloseable {
    /**
     * Takes the next bytes.
     *
     * @throws io.sluice.abi.RefusedException EPROTO when they are no device's
     */
    void write(MemorySegment from);

    /**
     * All bytes have come: the device is what they say, and stands still.
     *
     * @throws io.sluice.abi.RefusedException EPROTO when there are too few or too many; or why the
     *     guest cannot be had here
     */
    void finish();

    /** After {@link #finish}: the device goes on. */
    void run();

    @Override
    void close();
  }
}
