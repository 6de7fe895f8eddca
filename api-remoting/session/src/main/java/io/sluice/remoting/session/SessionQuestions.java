package io.sluice.remoting.session;

import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.UnmovableException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The questions of a move to its session's thread, which answers between two calls.
 *
 * @param session that moves
 */
record SessionQuestions(Session session) {
  /** How long the session's thread may be in a call of the library. */
  private static final int ANSWER_MS = 60_000;

  /** Has something done by the session's thread, and waits for it. */
  <T> T ask(Callable<T> work) throws UnmovableException, StateException, InterruptedException {
    return answer(session.ask(work), ANSWER_MS);
  }

  /** Waits for what the session's thread was asked. */
  static <T> T answer(CompletableFuture<T> result, int patienceMs)
      throws UnmovableException, StateException, InterruptedException {
    try {
      return result.get(patienceMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw new StateException("the session's thread does not answer, milliseconds=" + patienceMs);
    } catch (CancellationException _) {
      throw new StateException("the session has ended meanwhile");
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof UnmovableException unmovable) {
        throw unmovable;
      }
      if (failed.getCause() instanceof StateException lost) {
        throw lost;
      }
      throw new StateException("the session cannot be read: " + failed.getCause());
    }
  }
}
