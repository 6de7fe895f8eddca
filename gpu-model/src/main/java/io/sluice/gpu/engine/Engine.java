package io.sluice.gpu.engine;

import java.nio.ByteBuffer;

/**
 * The state of one object class on one channel. Methods arrive in order; a method that answered
 * {@link Outcome#PENDING} or {@link Outcome#RUNNING} is continued by {@link #resume} until it is
 * done. Guarded as the channel is.
 */
public interface Engine {
  /**
   * Executes a method.
   *
   * @param method byte address, 0x100 to 0x3ffc
   * @param data its word
   */
  Outcome method(int method, int data);

  /** Goes on with the method that answered {@link Outcome#PENDING} or {@link Outcome#RUNNING}. */
  Outcome resume();

  /** Appends the whole state, progress of a pending method included. */
  void save(ByteBuffer to);

  /**
   * Sets the state that {@link #save} wrote.
   *
   * @throws IllegalArgumentException for a state this engine cannot be in
   * @throws java.nio.BufferUnderflowException for one that is too short
   */
  void restore(ByteBuffer from);
}
