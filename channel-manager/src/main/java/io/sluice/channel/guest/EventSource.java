package io.sluice.channel.guest;

import io.sluice.abi.sys.Fd;

/** A source of events, which are waited for by a descriptor and then dispatched. */
public interface EventSource {
  /** Readable when {@link #dispatchEvents} has something to do; stays the source's. */
  Fd events();

  /**
   * Dispatches what happened since the last call. Never blocks; one thread at a time; allocates
   * nothing for interrupts.
   *
   * @return number of events
   */
  int dispatchEvents();
}
