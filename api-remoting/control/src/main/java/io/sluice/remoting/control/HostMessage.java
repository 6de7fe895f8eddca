package io.sluice.remoting.control;

import java.util.List;

/** A message of a session host to the daemon. */
public sealed interface HostMessage {
  /**
   * The host serves its guest.
   *
   * @param sandbox what confines it, such as {@code landlock 7, seccomp}
   * @param devices names of those that sessions have
   */
  record Serving(String sandbox, List<String> devices) implements HostMessage {}

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
   * The sessions there are.
   *
   * @param id of the order
   */
  record Sessions(long id, List<SessionReport> sessions) implements HostMessage {}
}
