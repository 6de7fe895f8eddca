package io.sluice.remoting.session;

import java.util.List;

/** An API that sessions carry. */
public interface RemotedApi {
  /** Its number in a session's hello. */
  int number();

  /** Its name, as operators see it. */
  String name();

  /** The kinds of its objects, by number from 1. */
  List<ObjectKind> kinds();

  /** What executes the calls of one session. Called by the session's thread, as is all of it. */
  ApiSession open(SessionContext context);

  /** A session's calls are about to come to an end; from any thread. */
  default void ending() {}

  /**
   * The application has registered memory; from any thread, before it is answered. Does not wait.
   */
  default void registered(int segment, long bytes) {}
}
