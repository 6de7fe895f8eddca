package io.sluice.channel.guest;

import io.sluice.abi.RefusedException;

/**
 * A guest's place among those that share the video memory of a GPU. The lock of the sharing is
 * taken before a guest's: nothing of this is called under that.
 */
public interface MemorySharing {
  /** The place of a guest that shares with nobody. */
  MemorySharing ALONE =
      new MemorySharing() {
        @Override
        public void changed() {}

        @Override
        public Reservation makeRoom(long bytes) {
          return Reservation.FREE;
        }

        @Override
        public Reservation makeRoom() {
          return Reservation.FREE;
        }
      };

  /** The guest's use of memory has changed. */
  void changed();

  /**
   * Makes room for an allocation, if the guest's share has room for it.
   *
   * @param bytes of it, rounded as the GPU does
   */
  Reservation makeRoom(long bytes);

  /** Makes room for all that the guest's share may hold: it is being restored. */
  Reservation makeRoom();

  /** The room that was made, which nobody takes until this is closed. */
  interface Reservation extends AutoCloseable {
    /** The room of a guest that shares with nobody. */
    Reservation FREE = () -> {};

    /** The allocation found none all the same. */
    default void refused(RefusedException why) {}

    /** The guest is restored: whatever limit it had elsewhere, here it has its share. */
    default void restored() {}

    @Override
    void close();
  }
}
