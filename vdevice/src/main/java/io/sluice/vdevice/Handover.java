package io.sluice.vdevice;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.guest.Guest;

/**
 * A device whose client is not served for a while, because another daemon of this host takes it
 * over. The client notices nothing but that a message or a call it sends just now waits.
 */
public interface Handover {
  /** The guest; its channels are no concern of this. */
  Guest guest();

  /** What {@link GuestDevice#adopt} needs, but the files. */
  byte[] state();

  /** The files, in the order it needs; they stay the device's. */
  ImmutableList<Fd> files();

  /** The client is served again, as if nothing had been. */
  void cancel();

  /** The other daemon serves the client: this device lets go of it, and of all it held. */
  void complete();
}
