package io.sluice.vdevice;

import io.sluice.channel.guest.Guest;

/** A device whose client was taken over, and is not served yet. */
public interface Adoption {
  /** The guest, with its memory as it was and nothing in it; its records come from elsewhere. */
  Guest guest();

  /** Serves the client from now on; every vector fires once. */
  void serve();

  /** Lets go of the client and of all that came with it: the other daemon keeps it. */
  void discard();
}
