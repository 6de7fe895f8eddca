package io.sluice.remoting.session;

import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.MemorySegment;

/**
 * The contents of objects, each as a row of bytes. What is read or written is begun one after the
 * other and waited for together. When a method throws, nothing that was begun runs any more.
 */
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
   * Begins to read pieces that follow one another; they are there after {@link #await}.
   *
   * @param into as many bytes as pieces have, or fewer at the end; stay until then
   * @throws UnmovableException when the library refuses this or what was begun before
   */
  void read(SessionObject object, long position, MemorySegment into) throws UnmovableException;

  /**
   * Begins to write pieces that follow one another; they are there after {@link #await}.
   *
   * @param from is the caller's again when this returns
   * @throws UnmovableException when the library refuses this or what was begun before
   */
  void write(SessionObject object, long position, MemorySegment from) throws UnmovableException;

  /**
   * Waits for all that was begun.
   *
   * @throws UnmovableException when the library has refused some of it
   */
  void await() throws UnmovableException;

  /** Ends it, and waits for what was begun; a second time does nothing. */
  @Override
  void close();
}
