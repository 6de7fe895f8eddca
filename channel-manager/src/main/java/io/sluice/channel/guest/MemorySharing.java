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
        public Room makeRoom(long bytes) {
          return Room.FREE;
        }

        @Override
        public Room makeRoom() {
          return Room.FREE;
        }
      };

  /** The guest's use of memory has changed. */
  void changed();

  /**
   * Makes room for an allocation, if the guest's share has room for it.
   *
   * @param bytes of it, rounded as the GPU does
   */
  Room makeRoom(long bytes);

  /** Makes room for all that the guest's share may hold: it is being restored. */
  Room makeRoom();

  /** The room that was made, which nobody takes until this is closed. */
  interface Room extends AutoCloseable {
    /** The room of a guest that shares with nobody. */
    Room FREE = () -> {};

    /** The allocation found none all the same. */
    default void refused(RefusedException why) {}

    /** The guest is restored: whatever limit it had elsewhere, here it has its share. */
    default void restored() {}

    @Override
    void close();
  }
}
