package io.sluice.channel.pscnv;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A channel of a real pscnv, which offers nothing to take it back with. What can be known of it
 * stands in its control page.
 */
final class PlainChannel extends PscnvChannel {
  private static final VarHandle WORD = Layouts.U32.varHandle();

  @GuardedBy("this")
  private boolean started;

  /** Our view of the control page, made when it is first asked for. */
  @GuardedBy("this")
  private @Nullable Mapping page;

  PlainChannel(PscnvOpen open, int cid, int guestId) {
    super(open, cid, guestId);
  }

  @Override
  synchronized void started() {
    started = true;
  }

  @Override
  public void suspend() {
    throw missing("suspend");
  }

  @Override
  public void resume() {
    throw missing("resume");
  }

  @Override
  public void detach() {
    throw missing("detach");
  }

  @Override
  public void attach() {
    throw missing("attach");
  }

  @Override
  public void kill(int reason, int info) {
    throw missing("kill");
  }

  @Override
  public void setWeight(int weight) {
    throw missing("setWeight");
  }

  @Override
  public byte[] saveState() {
    throw missing("saveState");
  }

  @Override
  public void restoreState(byte[] state) {
    throw missing("restoreState");
  }

  /** GP_GET counts fetched entries: equal pointers mean fetched, not necessarily finished. */
  @Override
  public synchronized Status status() {
    if (!started) {
      return status(ChannelState.NEW, 0, 0);
    }
    MemorySegment userd = userd();
    int gpGet = (int) WORD.getAcquire(userd, (long) GuestAbi.USERD_GP_GET);
    int gpPut = (int) WORD.getAcquire(userd, (long) GuestAbi.USERD_GP_PUT);
    return status(ChannelState.RUNNING, gpGet, gpPut);
  }

  private static Status status(ChannelState state, int gpGet, int gpPut) {
    return new Status(
        state,
        Status.Cause.NONE,
        new Status.Progress(gpGet, gpPut, gpGet == gpPut, false, 0),
        Status.Usage.NONE);
  }

  @GuardedBy("this")
  private MemorySegment userd() {
    if (page == null) {
      var area = controlPage();
      try (var fd = area.fd()) {
        page = open().kernel().mmap(fd, area.offset(), area.sizeBytes(), Kernel.PROT_READ);
      }
    }
    return page.segment();
  }

  /** A channel of pscnv lives on while its page is mapped: ours goes first. */
  @Override
  public synchronized void close() {
    if (page != null) {
      page.close();
      page = null;
    }
    super.close();
  }

  private static RefusedException missing(String operation) {
    return new RefusedException(
        PscnvCode.UNSUPPORTED,
        Errno.EOPNOTSUPP,
        "pscnv cannot do this, operation=" + operation,
        "");
  }
}
