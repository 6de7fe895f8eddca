package io.sluice.remoting.session;

/** The place where the answer to one call goes. Given at most once, by the session's thread. */
public interface Answer {
  /** That of a call that nobody waits for. */
  Answer NONE =
      new Answer() {
        @Override
        public boolean isWaitedFor() {
          return false;
        }

        @Override
        public void give(int status, long... values) {}
      };

  /** Its slot, plus one; 0 when nobody waits. */
  default int slotPlusOne() {
    return 0;
  }

  /** Whether the caller waits. */
  boolean isWaitedFor();

  /**
   * Gives it.
   *
   * @param status in the API's own numbers
   * @param values at most 15, as the call's line in the specification says
   */
  void give(int status, long... values);

  /**
   * Whether somebody is to hear, by {@link #written}, when a command has written what it writes of
   * the application's memory.
   */
  default boolean expectsBytes() {
    return false;
  }

  /** The command has come to its end; what it wrote of the application's memory is there. */
  default void written() {}
}
