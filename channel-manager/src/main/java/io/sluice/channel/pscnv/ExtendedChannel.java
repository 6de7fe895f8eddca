package io.sluice.channel.pscnv;

import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtChanState;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A channel of the software GPU. */
final class ExtendedChannel extends PscnvChannel {
  ExtendedChannel(PscnvGuestGpu gpu, int cid, int guestId) {
    super(gpu, cid, guestId);
  }

  @Override
  public void suspend() {
    control(ExtChanControl.SUSPEND, 0, 0);
  }

  @Override
  public void resume() {
    control(ExtChanControl.RESUME, 0, 0);
  }

  @Override
  public void detach() {
    control(ExtChanControl.DETACH, 0, 0);
  }

  @Override
  public void attach() {
    control(ExtChanControl.ATTACH, 0, 0);
  }

  @Override
  public void kill(int reason, int info) {
    control(ExtChanControl.KILL, reason, info);
  }

  private void control(int op, int reason, int info) {
    gpu()
        .calls()
        .call(
            PscnvIoctl.CHAN_CONTROL,
            argument -> {
              ExtChanControl.cid(argument, cid());
              ExtChanControl.op(argument, op);
              ExtChanControl.reason(argument, reason);
              ExtChanControl.info(argument, info);
            });
  }

  @Override
  public void setInterruptTarget(@Nullable Fd eventfd) {
    if (eventfd == null) {
      parameter(ExtChanParam.EVENTFD, ExtChanParam.NO_EVENTFD);
      return;
    }
    parameter(ExtChanParam.PENDING, (long) gpu().pendingRegion() << Integer.SIZE | id());
    parameter(ExtChanParam.EVENTFD, eventfd.number());
  }

  @Override
  public void setWeight(int weight) {
    parameter(ExtChanParam.WEIGHT, weight);
  }

  private void parameter(int parameter, long value) {
    gpu()
        .calls()
        .call(
            PscnvIoctl.CHAN_PARAM,
            argument -> {
              ExtChanParam.cid(argument, cid());
              ExtChanParam.param(argument, parameter);
              ExtChanParam.value(argument, value);
            });
  }

  @Override
  public Status status() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment query = arena.allocate(ExtChanQuery.LAYOUT);
      ExtChanQuery.cid(query, cid());
      gpu().calls().issue(PscnvIoctl.CHAN_QUERY, query);
      int flags = ExtChanQuery.flags(query);
      return new Status(
          ExtChanQuery.state(query),
          ExtChanQuery.reason(query),
          ExtChanQuery.info(query),
          ExtChanQuery.faultAddress(query),
          (flags & ExtChanQuery.DRAINED) != 0,
          (flags & ExtChanQuery.WAITING) != 0,
          ExtChanQuery.gpGet(query),
          ExtChanQuery.gpPut(query),
          ExtChanQuery.entries(query),
          Integer.toUnsignedLong(ExtChanQuery.interrupts(query)),
          ExtChanQuery.busyNs(query),
          ExtChanQuery.runningNs(query),
          ExtChanQuery.instructions(query),
          ExtChanQuery.interpreted(query));
    }
  }

  @Override
  public byte[] saveState() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(ExtChanState.LAYOUT);
      ExtChanState.cid(state, cid());
      ExtChanState.op(state, ExtChanState.SAVE);
      gpu().calls().issue(PscnvIoctl.CHAN_STATE, state);
      return ExtChanState.state(state)
          .asSlice(0, Math.min(ExtChanState.size(state), ExtChanState.MAX_STATE_BYTES))
          .toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @Override
  public void restoreState(byte[] bytes) {
    if (bytes.length > ExtChanState.MAX_STATE_BYTES) {
      throw new IllegalArgumentException("no state of a channel, bytes=" + bytes.length);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(ExtChanState.LAYOUT);
      ExtChanState.cid(state, cid());
      ExtChanState.op(state, ExtChanState.RESTORE);
      ExtChanState.size(state, bytes.length);
      MemorySegment.copy(
          MemorySegment.ofArray(bytes), 0, ExtChanState.state(state), 0, bytes.length);
      gpu().calls().issue(PscnvIoctl.CHAN_STATE, state);
    }
  }
}
