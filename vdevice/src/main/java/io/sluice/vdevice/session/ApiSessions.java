package io.sluice.vdevice.session;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
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

  /** A session that is there. */
  interface Opened extends AutoCloseable {
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
     * ended with it for that.
     */
    @Override
    void close();
  }
}
