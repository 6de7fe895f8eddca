package io.sluice.remoting.session;

import io.sluice.remoting.state.Fingerprints;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The contents of a session's objects on their way to another host: read in batches, of which the
 * session's thread and the library are each waited for once, and sent but for the pieces that the
 * other host has. By the thread of a move.
 */
final class ContentSender {
  /** Most parts of a batch, however small they are: so many objects are held at once. */
  private static final int MOST_PARTS = 256;

  /** Where a part begins in the room. */
  private static final int ALIGNMENT = 64;

  private final Session session;
  private final StateLink link;
  private final Contents contents;
  private final MemorySegment room;
  private final Fingerprints fingerprints = new Fingerprints();
  private final Set<Long> begun = new HashSet<>(); // serials

  /**
   * @param contents stay the caller's
   * @param room for a batch; stays as long as the contents
   */
  ContentSender(Session session, StateLink link, Contents contents, MemorySegment room) {
    this.session = session;
    this.link = link;
    this.contents = contents;
    this.room = room;
  }

  /**
   * Pieces of an object that are read at once.
   *
   * @param roomAt where they are read to
   */
  private record Part(
      SessionObject object, long position, long roomAt, long bytes, int pieceBytes) {}

  /** Parts that are read together: no more than the room has, and no more than so many. */
  record Batch(List<Part> parts) {}

  /**
   * Objects as batches.
   *
   * @throws UnmovableException when one has pieces for which there is no room
   */
  List<Batch> batches(Collection<SessionObject> objects) throws UnmovableException {
    List<Batch> batches = new ArrayList<>();
    List<Part> parts = new ArrayList<>();
    long used = 0;
    for (SessionObject object : objects) {
      long bytes = contents.bytes(object);
      int piece = contents.pieceBytes(object);
      if (piece > room.byteSize()) {
        throw new UnmovableException(List.of(object + " has rows of too many bytes: " + piece));
      }
      long most = piece == 0 ? 0 : room.byteSize() / piece * piece;
      for (long at = 0; at < bytes; at += most) {
        long some = Math.min(most, bytes - at);
        if (some > room.byteSize() - used || parts.size() == MOST_PARTS) {
          batches.add(new Batch(List.copyOf(parts)));
          parts.clear();
          used = 0;
        }
        parts.add(new Part(object, at, used, some, piece));
        used = Math.min(room.byteSize(), (used + some + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
      }
    }
    if (!parts.isEmpty()) {
      batches.add(new Batch(List.copyOf(parts)));
    }
    return batches;
  }

  /** Whether any of an object was sent. */
  boolean hasBegun(SessionObject object) {
    return begun.contains(object.serial());
  }

  /**
   * Sends what the other host has not.
   *
   * @param mayVanish whether objects may have been released meanwhile: if others need one, all of
   *     it is sent at the end
   */
  void send(Batch batch, boolean mayVanish)
      throws UnmovableException, StateException, InterruptedException {
    List<Part> held = SessionTasks.answer(session.ask(() -> hold(batch, mayVanish)));
    try {
      for (Part part : held) {
        contents.read(part.object(), part.position(), slice(part));
      }
      contents.await();
      for (Part part : held) {
        send(part);
      }
    } finally {
      held.forEach(part -> contents.drop(part.object()));
    }
  }

  private List<Part> hold(Batch batch, boolean mayVanish) {
    List<Part> held = new ArrayList<>();
    for (Part part : batch.parts()) {
      if (mayVanish && !session.context().objects().has(part.object())) {
        begun.remove(part.object().serial());
      } else {
        begun.add(part.object().serial());
        contents.hold(part.object());
        held.add(part);
      }
    }
    return held;
  }

  private MemorySegment slice(Part part) {
    return room.asSlice(part.roomAt(), part.bytes());
  }

  private void send(Part part) throws StateException {
    MemorySegment bytes = slice(part);
    for (long at = 0; at < part.bytes(); at += part.pieceBytes()) {
      MemorySegment piece = bytes.asSlice(at, Math.min(part.pieceBytes(), part.bytes() - at));
      long position = part.position() + at;
      int number = (int) (position / part.pieceBytes());
      if (!fingerprints.note(part.object().serial(), number, piece)) {
        MemorySegment sent = Fingerprints.isZero(piece) ? MemorySegment.NULL : piece;
        link.write(
            new StateItem.Content(part.object().serial(), position, (int) piece.byteSize(), sent));
      }
    }
  }
}
