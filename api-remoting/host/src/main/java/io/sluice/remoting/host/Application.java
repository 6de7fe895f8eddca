package io.sluice.remoting.host;

import io.sluice.remoting.session.ServedSession;
import org.jspecify.annotations.Nullable;

/** An application that is served, from its connection to its end. */
interface Application {
  /**
   * Serves it until it leaves, breaks the rules, or {@link #end} is called; then everything it had
   * is given back, its connection too. Called once, on a thread of its own.
   *
   * @return why it ended, in words
   */
  String serve();

  /** Has {@link #serve} return soon; the application's calls fail. From any thread, repeatedly. */
  void end();

  /** Its session, while it is served here; null before it has said what it speaks. */
  @Nullable ServedSession session();

  /** What it has, from any thread, also before and after it is served. */
  SessionContent content();
}
