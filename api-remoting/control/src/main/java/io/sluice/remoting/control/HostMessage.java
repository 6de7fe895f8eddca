package io.sluice.remoting.control;

import java.util.List;

/** A message of a session host to the daemon. */
public sealed interface HostMessage {
  /**
   * The host serves its guest.
   *
   * @param sandbox what confines it, such as {@code landlock 7, seccomp}
   * @param devices names of those that sessions have
   * @param turns names of those that guests take turns at, in the order of the {@link TurnPage}
   */
  record Serving(String sandbox, List<String> devices, List<String> turns) implements HostMessage {
    /** Keeps the lists as they are now. */
    public Serving {
      devices = List.copyOf(devices);
      turns = List.copyOf(turns);
    }
  }

  /** Something has changed in the {@link TurnPage}: a session waits, or a turn is given back. */
  record Turns() implements HostMessage {}

  /**
   * An application has opened a session.
   *
   * @param session its number
   * @param pid the application's process
   */
  record Opened(long session, int pid) implements HostMessage {}

  /**
   * A session has ended.
   *
   * @param session its number
   * @param reason in words
   */
  record Ended(long session, String reason) implements HostMessage {}

  /**
   * An order is carried out, or not.
   *
   * @param id of the order
   * @param error why not; empty when it is
   */
  record Done(long id, String error) implements HostMessage {}

  /**
   * The answer to an order about a machine's session.
   *
   * @param id of the order
   * @param session its number; 0 when there is none
   * @param errno why not; 0 when the order is carried out
   */
  record Shared(long id, long session, int errno) implements HostMessage {}

  /**
   * A stage of a move has begun, at its source.
   *
   * @param session its number
   * @param stage such as {@code copy}
   */
  record Moving(long session, String stage) implements HostMessage {}

  /**
   * The answer to an order to move or to take a session.
   *
   * @param id of the order
   * @param error why it was not done; empty when it was
   * @param obstacles what is in the way, each by its name; of one that may not be moved
   * @param rounds in which contents were sent while the application ran
   * @param sentBytes of the state
   * @param stoppedNs for how long no call was taken
   */
  record Moved(
      long id, String error, List<String> obstacles, int rounds, long sentBytes, long stoppedNs)
      implements HostMessage {
    /** Keeps the list as it is now. */
    public Moved {
      obstacles = List.copyOf(obstacles);
    }

    /** One that was not done. */
    public static Moved not(long id, String error, List<String> obstacles) {
      return new Moved(id, error, obstacles, 0, 0, 0);
    }
  }

  /**
   * A session stands still, and the host to which it goes with its machine is ready.
   *
   * @param id of the order
   * @param error why not; empty when it is so
   * @param obstacles what is in the way, each by its name
   * @param sentBytes of the state
   * @param stoppedNs for how long no call was taken so far
   * @param pages of the machine's memory that the host may have written
   */
  record Left(
      long id,
      String error,
      List<String> obstacles,
      long sentBytes,
      long stoppedNs,
      List<SegmentPages> pages)
      implements HostMessage {
    /** Keeps the lists as they are now. */
    public Left {
      obstacles = List.copyOf(obstacles);
      pages = List.copyOf(pages);
    }

    /** One that was not done. */
    public static Left not(long id, String error, List<String> obstacles) {
      return new Left(id, error, obstacles, 0, 0, List.of());
    }
  }

  /**
   * The sessions there are.
   *
   * @param id of the order
   */
  record Sessions(long id, List<SessionReport> sessions) implements HostMessage {}
}
