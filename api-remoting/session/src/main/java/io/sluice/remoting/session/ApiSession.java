package io.sluice.remoting.session;

import java.util.Map;
import java.util.Optional;

/** The execution of one session's calls. Every method is called by the session's thread. */
public interface ApiSession extends AutoCloseable {
  /** How long a session looks before it sleeps, nanoseconds; what a sleep costs. */
  long LOOK_NS = 50_000;

  /**
   * Decodes and executes a call. The answer is given now, or later by {@link #poll}.
   *
   * @param number of the call
   * @param in at the first parameter
   */
  void execute(int number, CallReader in, Answer answer);

  /**
   * Whether the latest call waits for a turn of the guest. It is executed by {@link #poll}, and no
   * other before.
   */
  default boolean isHeldBack() {
    return false;
  }

  /**
   * Whether a call has another thread work, as long as a compiler does: in a move it may have to
   * wait until the session is at its other host.
   *
   * @param number of the call
   */
  default boolean takesLong(int number) {
    return false;
  }

  /** The time that devices have worked for it, nanoseconds; a look from any thread. */
  default long deviceNs() {
    return 0;
  }

  /** What may keep it from moving, by name: why, in words. A look from any thread. */
  default Map<String, String> ties() {
    return Map.of();
  }

  /** The status of a call that names an object which is not there. */
  int statusOfMissing(ObjectKind kind);

  /**
   * Answers what has become complete.
   *
   * @return how many
   */
  int poll();

  /**
   * Has the session woken when something becomes complete, before it sleeps.
   *
   * @return false if something is complete already
   */
  boolean arm();

  /**
   * Whether something is expected to become complete. Then the session also looks by itself, seldom
   * or often, since libraries may be late with their word.
   */
  boolean isWaiting();

  /**
   * How long to look all the time for what becomes complete next, nanoseconds since the last work,
   * before the session sleeps. 0 where it is better to sleep at once. What is more than {@link
   * #LOOK_NS} is for as many sessions at a time as there are processors to spare.
   */
  default long lookNs() {
    return LOOK_NS;
  }

  /** What a move needs of it; empty for an API whose sessions stay where they are. */
  default Optional<ApiState> state() {
    return Optional.empty();
  }

  /** Gives back all that the session has made. What still runs is waited for. */
  @Override
  void close();
}
