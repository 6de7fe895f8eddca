package io.sluice.testbed.bench.sessions;

import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.management.OperationsException;

/** testbed/opencl/figures/moving in a session, which moves to and fro within its guest. */
final class MovingApplication implements AutoCloseable {
  private static final String READY = "ready";
  private static final String RIGHT = "wrong 0";
  private static final int END_SECONDS = 60;

  private final OpenClPrograms programs;
  private final Process process;
  private final BufferedReader answers;
  private final Writer questions;
  private long session;
  private boolean away;

  private MovingApplication(OpenClPrograms programs, Process process) {
    this.programs = programs;
    this.process = process;
    answers = process.inputReader();
    questions = process.outputWriter();
  }

  /**
   * A move of its session.
   *
   * @param move as the daemon tells it
   * @param tookMs from the question to its answer
   * @param longestMs from a launch to the end of the next, at most, while it moved
   */
  record Moved(SessionMove move, double tookMs, double longestMs) {}

  /**
   * Starts it and waits until it works.
   *
   * @param mib of memory in all
   * @param buffers of the same size
   * @param written how many it writes all the time
   */
  static MovingApplication start(OpenClPrograms programs, int mib, int buffers, int written)
      throws IOException, OperationsException {
    MovingApplication application =
        new MovingApplication(
            programs,
            begin(
                programs,
                programs.remoted(),
                Integer.toString(mib),
                Integer.toString(buffers),
                Integer.toString(written)));
    try {
      application.await(READY);
      application.session = session(programs);
      return application;
    } catch (IOException | OperationsException e) {
      application.process.destroyForcibly();
      throw e;
    }
  }

  private static Process begin(
      OpenClPrograms programs, Map<String, String> environment, String... arguments)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(programs.command("moving", arguments)).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** The only session: a program that ran before may not be gone yet. */
  private static long session(OpenClPrograms programs) throws OperationsException {
    List<SessionStatus> all = programs.sessions().list(OpenClPrograms.GUEST);
    return all.getLast().number();
  }

  private void await(String expected) throws IOException {
    String line = Optional.ofNullable(answers.readLine()).orElse("its end");
    if (!line.equals(expected)) {
      throw new IOException("moving said " + line + " instead of " + expected);
    }
  }

  /** The longest of its waits since it was asked before, milliseconds. */
  double longestMs() throws IOException {
    questions.write('\n');
    questions.flush();
    String line = Optional.ofNullable(answers.readLine()).orElse("");
    String[] words = line.split(" ", -1);
    if (words.length != 2) {
      throw new IOException("moving said " + line);
    }
    return Double.parseDouble(words[0]);
  }

  /** Moves its session to where it is not. */
  Moved move() throws IOException, OperationsException {
    double _ = longestMs();
    long began = System.nanoTime();
    SessionMove move =
        programs
            .sessions()
            .move(
                OpenClPrograms.GUEST, session, away ? "default" : OpenClPrograms.OTHER_HOST, false);
    double tookMs = (System.nanoTime() - began) / 1e6;
    away = !away;
    return new Moved(move, tookMs, longestMs());
  }

  /** Ends it, once it has found its memory right. */
  @Override
  public void close() throws IOException, InterruptedException {
    try {
      questions.close();
      await(RIGHT);
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("moving does not end");
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
