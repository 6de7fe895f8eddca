package io.sluice.remoting.session;

import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.MemorySegment;

/** The contents of objects, each as a row of bytes. */
public interface Contents extends AutoCloseable {
  /** Has an object stay until {@link #drop}; by the session's thread. */
  void hold(SessionObject object);

  /** Lets go of an object. */
  void drop(SessionObject object);

  /** Bytes of an object's content; 0 for one that has none. */
  long bytes(SessionObject object);

  /** Of how many bytes its pieces are; a piece begins at a multiple; 0 for one that has none. */
  int pieceBytes(SessionObject object);

  /**
   * Reads pieces that follow one another.
   *
   * @param into as many bytes as pieces have, or fewer at the end
   * @throws UnmovableException when the library refuses
   */
  void read(SessionObject object, long position, MemorySegment into) throws UnmovableException;

  /**
   * Writes pieces that follow one another.
   *
   * @throws UnmovableException when the library refuses
   */
  void write(SessionObject object, long position, MemorySegment from) throws UnmovableException;

  /** What was written is there when this returns. */
  void finish();

  /** Ends it; a second time does nothing. */
  @Override
  void close();
}
