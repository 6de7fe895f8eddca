package io.sluice.daemon.migration;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.runtime.StreamPlace;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.CarriedSession;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The question to a destination whether the sessions of a machine could come with it. Each is made
 * there without contents, all of them at once, since they share limits; then nothing of it stays.
 */
final class SessionsTrial {
  private static final Duration STREAM_PATIENCE = Duration.ofSeconds(10);

  /** As long as a session that moves waits for programs to be built; all of them together. */
  private static final Duration BUILD_PATIENCE = Duration.ofMinutes(10);

  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  private final Kernel kernel;
  private final Path directory;
  private final Consumer<Path> way;
  private final Duration buildPatience;

  /**
   * @param directory of the daemon's own, for sockets of streams
   * @param way joins the socket at which somebody listens to the destination
   */
  SessionsTrial(Kernel kernel, Path directory, Consumer<Path> way) {
    this(kernel, directory, way, BUILD_PATIENCE);
  }

  SessionsTrial(Kernel kernel, Path directory, Consumer<Path> way, Duration buildPatience) {
    this.buildPatience = buildPatience;
    this.kernel = kernel;
    this.directory = directory;
    this.way = way;
  }

  /** What is in the way of sessions. Blocks until all is known. */
  List<Reason> obstacles(List<CarriedSession> sessions) {
    Map<ApiSessions.Opened, CompletableFuture<Void>> tried = new LinkedHashMap<>();
    List<Reason> found = new ArrayList<>();
    try {
      for (CarriedSession each : sessions) {
        tried.put(each.session(), begin(each.session()));
      }
      awaitAll(tried.values());
      tried.forEach((session, answer) -> hear(session, answer, found));
    } catch (SluiceException e) { // the next ones would be told the same
      found.add(
          new Reason(
              MigrationCode.SESSIONS,
              "the machine has " + sessions.size() + " API sessions: " + e.what(),
              "See that its [[guest]] has opencl at the destination, and room for them there."));
    } finally {
      end(tried.keySet());
    }
    return found;
  }

  /** What comes next finds the places and the memory free that they had there. */
  private static void end(Set<ApiSessions.Opened> sessions) {
    CompletableFuture<?>[] ends =
        sessions.stream().map(ApiSessions.Opened::endTrial).toArray(CompletableFuture[]::new);
    try {
      Object _ = CompletableFuture.allOf(ends).get(END_PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException _) {
      // a session host has ended, and with it what it asked for
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<Void> begin(ApiSessions.Opened session) {
    try (StreamPlace place = StreamPlace.open(kernel, directory)) {
      way.accept(place.path());
      try (Fd stream = place.accept(STREAM_PATIENCE)) {
        return session.tryOut(stream);
      }
    }
  }

  /** One after the other they could have as many times the patience as there are of them. */
  private void awaitAll(Collection<CompletableFuture<Void>> answers) {
    try {
      Object _ =
          CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
              .get(buildPatience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException _) {
      // each is asked what it was
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void hear(
      ApiSessions.Opened session, CompletableFuture<Void> answer, List<Reason> found) {
    String why;
    try {
      Void _ = answer.get(0, TimeUnit.NANOSECONDS);
      return;
    } catch (ExecutionException e) {
      why = e.getCause() instanceof SluiceException known ? known.what() : String.valueOf(e);
    } catch (TimeoutException _) {
      why = "a session's objects are not made in time at the destination";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      why = "the daemon is stopping";
    }
    if (!session.isGone()) {
      found.add(
          new Reason(
              MigrationCode.SESSIONS,
              why,
              "End the program that has it, or choose another destination:"
                  + " docs/sessions.md, \"Moving\"."));
    }
  }
}
