package io.sluice.daemon.sessions;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.SessionMove;
import io.sluice.migrate.checkpoint.FilePlace;
import io.sluice.migrate.checkpoint.SessionAllowance;
import io.sluice.migrate.checkpoint.SessionFileReader;
import io.sluice.migrate.checkpoint.SessionFileWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sessions of a guest that are put into files, and made again of them. What is in a file is nowhere
 * else: the application waits, its ring, memory and connection held by a session host that makes
 * nothing; a file serves that session alone, as long as its application is there.
 */
final class SessionFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SessionFiles.class);

  private final String guest;
  private final GuestMoves moves;
  private final LongSupplier mostMemoryBytes;
  private final WaitingFiles waiting;
  private final GuestSessions.Surroundings surroundings;

  /**
   * @param mostMemoryBytes of the objects of the guest's sessions
   * @param waiting the files of all guests' sessions
   */
  SessionFiles(
      String guest,
      GuestMoves moves,
      LongSupplier mostMemoryBytes,
      WaitingFiles waiting,
      GuestSessions.Surroundings surroundings) {
    this.guest = guest;
    this.moves = moves;
    this.mostMemoryBytes = mostMemoryBytes;
    this.waiting = waiting;
    this.surroundings = surroundings;
  }

  /** The end of a file's stream that is this daemon's, and the work with it. */
  @FunctionalInterface
  private interface Work {
    void with(Fd stream);
  }

  /** The move whose other end has the file. */
  @FunctionalInterface
  private interface Move {
    SessionMove through(Fd stream) throws OperationsException;
  }

  /**
   * Puts a session into a file, and waits until it is there.
   *
   * @param place owned from now on
   */
  SessionMove write(long session, FilePlace place) throws OperationsException {
    String failed =
        "cannot write session " + session + " of guest \"" + guest + "\" to " + place.named();
    UUID id = waiting.add(() -> moves.isInAFile(session));
    try (SessionFileWriter writer =
        SessionFileWriter.create(
            place,
            id,
            surroundings.kernel(),
            SessionAllowance.ofOne(mostMemoryBytes.getAsLong()),
            waiting::has)) {
      SessionMove moved = park(session, id, writer, failed);
      publish(writer, failed);
      return moved;
    } catch (SluiceException e) {
      throw problem(failed, e);
    } finally {
      boolean _ = waiting.has(id); // else it is forgotten
    }
  }

  /** The host that the session leaves may end when all is in the file, and say nothing more. */
  private SessionMove park(long session, UUID id, SessionFileWriter writer, String failed)
      throws OperationsException {
    try {
      return beside(writer::record, host -> moves.park(session, id.toString(), host, failed));
    } catch (OperationsException e) {
      if (writer.isWhole() && moves.isInAFile(session)) {
        return new SessionMove(List.of(), 0, 0, 0);
      }
      throw writer.failure().map(why -> problem(failed, why)).orElse(e);
    }
  }

  private static void publish(SessionFileWriter writer, String failed) throws OperationsException {
    try {
      writer.publish();
    } catch (RefusedException e) {
      throw Problem.of(
              ErrorCode.CHECKPOINT_FAILED,
              failed,
              "it waits in " + writer.staged() + ", which cannot get its name: " + e.what(),
              "restore it from there")
          .exception();
    }
  }

  /** Has a session go on that is in a file, and waits until it does. */
  SessionMove read(long session, Path path, String to) throws OperationsException {
    String failed =
        "cannot make session " + session + " of guest \"" + guest + "\" again of " + path;
    try (SessionFileReader reader = SessionFileReader.open(surroundings.kernel(), path)) {
      SessionMove moved =
          beside(
              own -> reader.feed(own, surroundings.kernel()),
              host -> moves.unpark(session, reader.id().toString(), to, host, failed));
      waiting.remove(reader.id());
      return moved;
    } catch (SluiceException e) {
      throw problem(failed, e);
    }
  }

  /** Does both at once, each with its end of a stream. */
  private SessionMove beside(Work work, Move move) throws OperationsException {
    List<Fd> pair = surroundings.kernel().socketpair();
    try (Fd own = pair.get(0);
        Fd host = pair.get(1)) {
      Thread worker = surroundings.threads().newThread(() -> run(work, own));
      worker.setName("sluice-" + guest + "-file");
      worker.start();
      try {
        return move.through(host);
      } finally {
        host.close();
        surroundings.kernel().shutdown(own);
        Patience.join(worker);
      }
    }
  }

  private void run(Work work, Fd own) {
    try {
      work.with(own);
    } catch (SluiceException e) { // the move fails by that, too, and says more
      LOG.atDebug().setCause(e).log("a session's file is not read to its end");
    } catch (RuntimeException | Error e) {
      LOG.atError().setCause(e).log("a session's file is not read or written to its end");
      surroundings.kernel().shutdown(own); // nobody answers the host any more
    }
  }

  private static OperationsException problem(String failed, SluiceException e) {
    return Problem.of(ErrorCode.CHECKPOINT_FAILED, failed, e.what(), e.remedy()).exception();
  }
}
