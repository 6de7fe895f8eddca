package io.sluice.daemon.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.management.ErrorCode;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The sessions of a guest that takes CUDA programs: these, and those that session hosts serve.
 *
 * @param programs of the guest's machine
 * @param others by session hosts, if it has any
 */
record RoutedSessions(ApiSessions programs, Optional<ApiSessions> others) implements ApiSessions {
  @Override
  public Opened open(int api, SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended) {
    return of(api).open(api, memory, doorbell, notify, ended);
  }

  @Override
  public Opened arrive(
      int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended) {
    return of(api).arrive(api, memory, doorbell, notify, stream, ended);
  }

  /** Programs stay alone nowhere. */
  @Override
  public NearPlace reach(String at) {
    return others.map(sessions -> sessions.reach(at)).orElseGet(() -> programs.reach(at));
  }

  private ApiSessions of(int api) {
    if (api == GuestAbi.API_CUDA) {
      return programs;
    }
    return others.orElseThrow(() ->
        new RefusedException(
            ErrorCode.SESSION_HOST.code(),
            Errno.ENODEV,
            "the guest has no sessions of this API, api=" + Integer.toUnsignedString(api),
            ""));
  }

  @Override
  public long mostMemoryBytes() {
    return others.map(ApiSessions::mostMemoryBytes).orElse(0L);
  }
}
