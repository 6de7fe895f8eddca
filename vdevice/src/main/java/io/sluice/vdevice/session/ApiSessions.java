package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.vdevice.protocol.DeviceCode;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The host's side of a guest's API sessions. A session shares memory with a process of the guest;
 * whoever implements this has it served and the memory mapped.
 */
public interface ApiSessions {
  /**
   * Opens a session. Blocks until it is served, for less time than a guest waits for a call.
   *
   * @param api SLUICE_API_*
   * @param memory segment 0; stays the caller's, as do the descriptors
   * @param doorbell an eventfd that is signalled when the guest has work for a host that sleeps
   * @param notify an eventfd that the host signals when the guest has something to look at
   * @param ended told once, from any thread, when the session ends and its host cannot say so in
   *     segment 0 itself
   * @throws io.sluice.abi.RefusedException when it is refused; nothing reaches the memory then
   */
  Opened open(int api, SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended);

  /**
   * Opens a session that comes with its machine from another daemon's host. Blocks as {@link #open}
   * does; what comes is made meanwhile, and served once it is told to {@link Opened#goOn}.
   *
   * @param stream to the session's host; stays the caller's
   * @throws io.sluice.abi.RefusedException when it is refused; nothing reaches the memory then
   */
  Opened arrive(
      int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended);

  /**
   * Finds a place for the near end of a session that stays on another host when its machine comes.
   * Blocks until that host answers.
   *
   * @param at where the session's host listens
   * @throws io.sluice.abi.RefusedException when it is not to be reached, or takes no session
   */
  default NearPlace reach(String at) {
    throw new RefusedException(
        DeviceCode.CALL, Errno.EOPNOTSUPP, "sessions do not stay on other hosts, at=" + at, "");
  }

  /** A place for a near end, and the way from there to the session. */
  interface NearPlace extends AutoCloseable {
    /**
     * Opens the near end, once. As {@link ApiSessions#arrive}: what comes is made on the other host
     * meanwhile.
     */
    Opened arrive(
        int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended);

    /** Gives back what nobody has taken. */
    @Override
    void close();
  }

  /** Most memory that the objects of all sessions may have, or have been allowed to. */
  long mostMemoryBytes();

  /**
   * Pages of a session's memory.
   *
   * @param index of the segment
   */
  record WrittenPages(int index, long offset, long bytes) {}

  /**
   * A session that stands still, and whose other host is ready.
   *
   * @param sentBytes of its state
   * @param stoppedNs for how long it took no calls so far
   * @param pages that its host may have written, at any time
   */
  record Standing(long sentBytes, long stoppedNs, ImmutableList<WrittenPages> pages) {}

  /** A session that is there. */
  interface Opened extends AutoCloseable {
    /**
     * Begins to move it away with its machine.
     *
     * @param stream to the other host; stays the caller's
     * @return done when it stands still; fails, with a RefusedException, when that will not be, and
     *     it goes on, or has ended
     */
    CompletableFuture<Standing> leave(Fd stream);

    /** Whether it can stay when its machine moves: {@link #part} is for those that can. */
    default boolean canStay() {
      return false;
    }

    /** Where the daemon listens at whose host it lives; empty if that is this one. */
    default String livesAt() {
      return "";
    }

    /** As {@link #leave}, of its near end alone: it stays on a host that the other one reaches. */
    default CompletableFuture<Standing> part(Fd stream) {
      return CompletableFuture.failedFuture(
          new RefusedException(DeviceCode.CALL, Errno.EOPNOTSUPP, "it cannot stay alone", ""));
    }

    /**
     * Asks another host whether it could move there with its machine; it goes on. What is made
     * there for that is there until {@link #endTrial}.
     *
     * @param stream to the other host; stays the caller's
     * @return done when it could; fails, with a RefusedException that says what is in the way
     */
    CompletableFuture<Void> tryOut(Fd stream);

    /**
     * Ends a trial that was begun, whatever came of it.
     *
     * @return done when nothing is left of it at the other host, or that cannot be known
     */
    CompletableFuture<?> endTrial();

    /**
     * Its machine is near its stop: a session that leaves brings what takes long to its end, and
     * does not begin such a thing anew until it is told to {@link #stay}.
     *
     * @return done when that is so, or cannot be
     */
    CompletableFuture<?> approach();

    /** Its machine is about to stop: so does a session that leaves. */
    void halt();

    /** Its machine does not move: a session that leaves goes on here. */
    void stay();

    /**
     * One that came is served from now on.
     *
     * @return false when it is not there, or not complete
     */
    boolean goOn();

    /** Whether nothing of it is there any more. */
    boolean isGone();

    /**
     * Adds a segment. Blocks as {@link #open} does.
     *
     * @param memory stays the caller's
     * @throws io.sluice.abi.RefusedException when it is refused
     */
    void add(int index, SessionMemory memory);

    /**
     * Has it end, repeatedly; does not wait for what it has begun, which may take as long as a
     * kernel of the guest's runs.
     *
     * @return whether it has ended: nothing of the host reaches its memory any more
     */
    boolean end();

    /**
     * Ends it: nothing of the host reaches its memory any more when this returns, whatever must be
     * ended with it for that. What cannot be ended in the end, and is logged, is not {@link
     * #isGone} and counts among the guest's sessions until it is.
     */
    @Override
    void close();
  }
}
