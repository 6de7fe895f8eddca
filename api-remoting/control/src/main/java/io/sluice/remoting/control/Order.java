package io.sluice.remoting.control;

import java.util.List;

/** A message of the daemon to a session host. */
public sealed interface Order {
  /** The greatest number of an API. */
  int MAX_API = 0xffff;

  /**
   * The service of a guest's applications; the first order, once. With it come the listening
   * socket, the {@link TurnPage}, an eventfd that is signalled when a device is granted, and the
   * {@link MemoryPage}, in which it is host 0.
   *
   * @param guest its name
   * @param limits of its sessions
   * @param first number of the first session, from 1: none is given twice, whichever process serves
   *     the guest
   */
  record Serve(String guest, SessionLimits limits, long first) implements Order {}

  /**
   * The list of the sessions there are.
   *
   * @param id repeated in the answer
   */
  record ListSessions(long id) implements Order {}

  /**
   * Other limits from now on; what is beyond them stays.
   *
   * @param id repeated in the answer
   */
  record LimitSessions(long id, SessionLimits limits) implements Order {}

  /**
   * Open a session of a process in the guest's machine. The files of its segment 0 come with it, an
   * eventfd that the machine rings, one that interrupts the machine, and for a session that comes
   * with its machine from another daemon's host a socket to that.
   *
   * @param id repeated in the answer
   * @param api number of the API
   * @param comes whether it comes, and is served when it is told to {@link GoOn}
   * @param files how many
   * @param pieces of segment 0
   */
  record OpenShared(long id, int api, boolean comes, int files, List<MemoryPiece> pieces)
      implements Order {}

  /**
   * Move a session away with its machine. A socket to the other host comes with it. Answered by
   * {@link HostMessage.Left} when it stands still and the other host is ready, or when that will
   * not be.
   *
   * @param id repeated in the answer
   * @param session its number
   * @param trial whether to find out alone if it could: then it goes on, and what the other host
   *     has made for that is there until it is told to {@link EndTrial}
   */
  record Leave(long id, long session, boolean trial) implements Order {}

  /**
   * Move the near end of a session away with its machine; the session stays on another machine's
   * host, or comes to live on one. A socket to the host that gets the near end comes with it.
   * Answered as {@link Leave}.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record Part(long id, long session) implements Order {}

  /**
   * The near end of a session that comes with its machine; the session itself lives on another
   * machine's host. With it come files and eventfds as with {@link OpenShared}, a socket to the
   * host that the near end leaves, and a stream to the {@link Mirror}. Answered by {@link
   * HostMessage.Shared} at once, and served when it is told to {@link GoOn}.
   *
   * @param id repeated in the answer
   * @param session its number
   * @param api number of the API
   * @param files how many
   * @param pieces of segment 0
   */
  record Near(long id, long session, int api, int files, List<MemoryPiece> pieces)
      implements Order {}

  /**
   * The number of a session that is to be served by another host of the guest. Answered by {@link
   * HostMessage.Shared}.
   *
   * @param id repeated in the answer
   */
  record TakeNumber(long id) implements Order {}

  /**
   * The trial of a session is over. Answered by {@link HostMessage.Done} when nothing of it is left
   * at the other host.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record EndTrial(long id, long session) implements Order {}

  /**
   * Find out whether a session could come with its machine, and forget it. A socket to its host
   * comes with it. Answered by {@link HostMessage.Done} when that has ended the stream, or it could
   * not.
   *
   * @param id repeated in the answer
   */
  record Trial(long id) implements Order {}

  /**
   * The machine of a session that leaves is near its stop. Answered by {@link HostMessage.Done}
   * when what takes long has come to its end, and is not begun anew, or that cannot be.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record Approach(long id, long session) implements Order {}

  /**
   * The machine of a session that leaves is about to stop.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record Halt(long id, long session) implements Order {}

  /**
   * A session that came with its machine is this host's.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record GoOn(long id, long session) implements Order {}

  /**
   * The addition of a segment to a session that was opened by {@link OpenShared}. Its files come
   * with it.
   *
   * @param id repeated in the answer
   * @param session its number
   * @param index of the segment, from 1
   * @param files how many
   * @param pieces of the segment
   */
  record AddSegment(long id, long session, int index, int files, List<MemoryPiece> pieces)
      implements Order {}

  /**
   * The service of sessions that come from other hosts, and listen to nobody; the first order
   * instead of {@link Serve}. The {@link TurnPage}, its eventfd and the {@link MemoryPage} come
   * with it.
   *
   * @param guest its name
   * @param limits of its sessions
   * @param host which one it is in the {@link MemoryPage}
   */
  record Stand(String guest, SessionLimits limits, int host) implements Order {}

  /**
   * Move a session to another host. A socket to that comes with it.
   *
   * @param id repeated in the answer
   * @param session its number
   * @param checkOnly whether to find out alone what is in the way
   */
  record Depart(long id, long session, boolean checkOnly) implements Order {}

  /**
   * The arrival of a session that comes from another host. A socket to that comes with it.
   *
   * @param id repeated in the answer
   * @param session its number, and its application's process and user
   * @param sinceMs when it was opened, milliseconds since 1970
   * @param again whether its memory has counted nowhere since, and counts here at once
   */
  record Arrive(long id, long session, int pid, int uid, long sinceMs, boolean again)
      implements Order {}

  /**
   * The near end of a session that goes to live on another machine's host; its application stays
   * here. With it come a socket to the host that it leaves, as by {@link Arrive}, and a stream to
   * the {@link Mirror}. When it is to {@link Depart} again it is brought back.
   *
   * @param id repeated in the answer
   * @param session its number, and its application's process and user
   * @param sinceMs when it was opened, milliseconds since 1970
   */
  record Relay(long id, long session, int pid, int uid, long sinceMs) implements Order {}

  /**
   * The far end of a session whose application is on another machine. A stream to the {@link Relay}
   * comes with it.
   *
   * @param id repeated in the answer
   * @param session its number here
   */
  record Mirror(long id, long session) implements Order {}

  /**
   * Hold the application of a session that goes into a file. With it come a socket to the host that
   * it leaves, as by {@link Arrive}, and one to whoever writes the file.
   *
   * @param id repeated in the answer
   * @param session its number, and its application's process and user
   * @param sinceMs when it was opened, milliseconds since 1970
   * @param key of the file: no other makes it again
   */
  record Park(long id, long session, int pid, int uid, long sinceMs, String key) implements Order {}

  /**
   * Move a session that is in a file to another host. With it come a socket to that, and one to
   * whoever reads the file.
   *
   * @param id repeated in the answer
   * @param session its number
   * @param key of the file
   */
  record Unpark(long id, long session, String key) implements Order {}

  /**
   * The end of a move, if that can be: the session stays.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record Stay(long id, long session) implements Order {}

  /**
   * The end of a session.
   *
   * @param id repeated in the answer
   * @param session its number
   */
  record EndSession(long id, long session) implements Order {}
}
