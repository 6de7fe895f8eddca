package io.sluice.remoting.control;

/** A message of the daemon to a session host. */
public sealed interface Order {
  /**
   * Serve a guest's applications; the first order, once. The listening socket comes with it.
   *
   * @param guest its name
   * @param limits of its sessions
   * @param first number of the first session, from 1: none is given twice, whichever process serves
   *     the guest
   */
  record Serve(String guest, SessionLimits limits, long first) implements Order {}

  /**
   * Tell which sessions there are.
   *
   * @param id repeated in the answer
   */
  record ListSessions(long id) implements Order {}

  /**
   * Other limits from now on; what is beyond them stays.
   *
   * @param id repeated in the answer
   */
  record LimitSessions(long id, SessionLimits limits) implements Order {}

  /**
   * End a session.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record EndSession(long id, long session) implements Order {}
}
