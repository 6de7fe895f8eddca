package io.sluice.channel.pscnv;

import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtChanState;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A channel of the software GPU. */
final class ExtendedChannel extends PscnvChannel {
  ExtendedChannel(PscnvOpen open, int cid, int guestId) {
    super(open, cid, guestId);
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
    open()
        .calls()
        .call(
            PscnvIoctl.CHAN_CONTROL,
            argument -> {
              ExtChanControl.CID.setBits(argument, cid());
              ExtChanControl.OP.setBits(argument, op);
              ExtChanControl.REASON.setBits(argument, reason);
              ExtChanControl.INFO.setBits(argument, info);
            });
  }

  @Override
  public void setInterruptTarget(@Nullable Fd eventfd) {
    if (eventfd == null) {
      parameter(ExtChanParam.EVENTFD, ExtChanParam.NO_EVENTFD);
      return;
    }
    parameter(ExtChanParam.PENDING, (long) open().pendingRegion() << Integer.SIZE | id());
    parameter(ExtChanParam.EVENTFD, eventfd.number());
  }

  @Override
  public void setWeight(int weight) {
    parameter(ExtChanParam.WEIGHT, weight);
  }

  private void parameter(int parameter, long value) {
    open()
        .calls()
        .call(
            PscnvIoctl.CHAN_PARAM,
            argument -> {
              ExtChanParam.CID.setBits(argument, cid());
              ExtChanParam.PARAM.setBits(argument, parameter);
              ExtChanParam.VALUE.set(argument, value);
            });
  }

  @Override
  public Status status() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment query = arena.allocate(ExtChanQuery.LAYOUT);
      ExtChanQuery.CID.setBits(query, cid());
      open().calls().issue(PscnvIoctl.CHAN_QUERY, query);
      int flags = ExtChanQuery.FLAGS.bits(query);
      boolean drained = (flags & ExtChanQuery.DRAINED) != 0;
      return new Status(
          ChannelState.of(ExtChanQuery.STATE.bits(query), drained),
          new Status.Cause(
              ExtChanQuery.REASON.bits(query),
              ExtChanQuery.INFO.bits(query),
              ExtChanQuery.FAULT_ADDRESS.get(query)),
          new Status.Progress(
              ExtChanQuery.GP_GET.bits(query),
              ExtChanQuery.GP_PUT.bits(query),
              drained,
              (flags & ExtChanQuery.WAITING) != 0,
              0),
          new Status.Usage(
              ExtChanQuery.ENTRIES.get(query),
              ExtChanQuery.INTERRUPTS.get(query),
              ExtChanQuery.BUSY_NS.get(query),
              ExtChanQuery.RUNNING_NS.get(query),
              ExtChanQuery.INSTRUCTIONS.get(query),
              ExtChanQuery.INTERPRETED.get(query)));
    }
  }

  @Override
  public byte[] saveState() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(ExtChanState.LAYOUT);
      ExtChanState.CID.setBits(state, cid());
      ExtChanState.OP.setBits(state, ExtChanState.SAVE);
      open().calls().issue(PscnvIoctl.CHAN_STATE, state);
      return ExtChanState.STATE
          .slice(state)
          .asSlice(0, Math.min(ExtChanState.SIZE_FIELD.get(state), ExtChanState.MAX_STATE_BYTES))
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
      ExtChanState.CID.setBits(state, cid());
      ExtChanState.OP.setBits(state, ExtChanState.RESTORE);
      ExtChanState.SIZE_FIELD.set(state, bytes.length);
      MemorySegment.copy(
          MemorySegment.ofArray(bytes), 0, ExtChanState.STATE.slice(state), 0, bytes.length);
      open().calls().issue(PscnvIoctl.CHAN_STATE, state);
    }
  }
}
