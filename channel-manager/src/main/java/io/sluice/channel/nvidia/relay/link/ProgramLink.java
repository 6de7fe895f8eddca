package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;

/**
 * The way of a program to the relay: one request at a time, which is answered in the buffer that it
 * came in, and the memory that both have. Of the program's thread, but for {@link #sendAway}.
 */
public interface ProgramLink extends AutoCloseable {
  /** Work for a program that asks for nothing. */
  interface IdleWork {
    /** No work. */
    IdleWork NONE = () -> false;

    /**
     * Does some.
     *
     * @return whether there is more, soon
     */
    boolean run();
  }

  /** How soon. */
  long IDLE_NS = 500_000;

  /**
   * Waits for a request; false when the program has left.
   *
   * @param work is done meanwhile
   * @throws RelayProtocolException when what comes is none
   */
  boolean receive(IdleWork work) throws RelayProtocolException;

  /** The same without any work. */
  default boolean receive() throws RelayProtocolException {
    return receive(IdleWork.NONE);
  }

  /** The header of the request, {@link RelayRequest}. */
  MemorySegment header();

  /** What follows it; nobody else can change it. */
  MemorySegment body();

  /** The room for a body that is longer than the request's. */
  MemorySegment room();

  /** How many blocks the request of an ioctl says it has. */
  long blocks();

  /** Answers with an error. */
  void fail(int errno);

  /**
   * Answers.
   *
   * @param file number of a file, or 0
   * @param value what a call returns, or 0
   * @param body bytes of the body, which is in the buffer
   */
  void reply(int file, int value, long body);

  /** Whether one more file of the driver's may wake the program. */
  boolean mayWake();

  /**
   * Answers a call, after which the program may wait for a file of the driver's.
   *
   * @param driver the file; stays the caller's
   */
  void replyWaking(int value, long body, Fd driver);

  /**
   * Answers what is to be mapped.
   *
   * @param offset in the target
   */
  void replyMap(MapTarget target, long offset);

  /**
   * Makes pages of zeros.
   *
   * @param bytes whole pages
   * @param released told when they are closed, unless this throws
   * @throws Denial when there are none
   */
  HostPages blank(long bytes, Runnable released) throws Denial;

  /** Whether the request came with memory of the program's. */
  boolean hasBrought();

  /**
   * Takes the pages that came with the request.
   *
   * @param bytes whole pages
   * @param released told when they are closed, unless this throws
   * @throws Denial when they are not as they must be
   */
  HostPages brought(long bytes, Runnable released) throws Denial;

  /**
   * Serves a request that only this kind of link knows.
   *
   * @return false when it does not know it either
   */
  boolean serve(int op);

  /**
   * Answers with the way by which the relay gives the program another doorbell.
   *
   * @throws RelayProtocolException of a program that asks for none
   */
  void replyWatch() throws RelayProtocolException;

  /** Whether the program has that way. */
  boolean takesDoorbells();

  /**
   * Has the program map another doorbell in place of the one of a file, and waits until it has.
   *
   * @param file number of the file
   * @param doorbell a file of the driver's; stays the caller's
   * @param until when it is waited for no longer, by the clock
   * @throws Denial when it does not: which of the two it has is not known then
   */
  void moveDoorbell(int file, Fd doorbell, long until) throws Denial;

  /** Whether the program has left, while it waits for an answer. */
  boolean isGone();

  /** Has the program leave; from any thread. */
  void sendAway();

  /** Gives back what came and nobody took. */
  @Override
  void close();
}
