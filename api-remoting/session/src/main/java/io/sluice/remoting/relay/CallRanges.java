package io.sluice.remoting.relay;

import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.List;

/**
 * The ranges that the calls of one session read and write of its application's memory, found out
 * from their messages alone, where the session lives on another host. By one thread at a time.
 */
public interface CallRanges {
  /**
   * The ranges of one call.
   *
   * @param read before it is executed, or until its command has come to its end
   * @param written by the time at which it is answered, or its command has come to its end
   */
  record NamedRanges(List<MemoryRange> read, List<MemoryRange> written) {}

  /**
   * A call is about to be executed.
   *
   * @throws ProtocolException for what is no message
   */
  NamedRanges of(int number, byte[] message);

  /**
   * A call that waits for its application comes with a session.
   *
   * @param item whose objects were taken before
   */
  NamedRanges of(StateItem.Open item);

  /** Takes what a session's state says of objects and maps. */
  void take(StateItem item);

  /** Memory that is objects' storage. */
  List<MemoryRange> storage();

  /** As {@link #storage}, but for what the application has mapped. */
  List<MemoryRange> unmappedStorage();
}
