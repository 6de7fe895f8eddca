package io.sluice.gpu;

import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtChanState;
import io.sluice.abi.sys.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.fifo.Channel;
import io.sluice.gpu.fifo.ChannelRecord;
import io.sluice.gpu.mmu.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The extensions that take a channel in hand. */
final class ControlIoctls {
  private static final int MAX_WEIGHT = 1024;

  private ControlIoctls() {}

  /** CHAN_CONTROL. The gates are not counted: who suspends for several reasons counts them. */
  static void control(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Channel channel = file.channel(call, ExtChanControl.cid(argument));
    int op = ExtChanControl.op(argument);
    switch (op) {
      case ExtChanControl.SUSPEND -> channel.setSuspended(true);
      case ExtChanControl.RESUME -> channel.setSuspended(false);
      case ExtChanControl.DETACH -> channel.setDetached(true);
      case ExtChanControl.ATTACH -> channel.setDetached(false);
      case ExtChanControl.KILL ->
          channel.end(
              ExtChanControl.reason(argument),
              ExtChanControl.info(argument),
              channel.commandAddress());
      default -> throw call.refuse(Errno.EINVAL, "op=" + op);
    }
    call.afterwards(file.gpu()::wake);
  }

  static void query(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Channel channel = file.channel(call, ExtChanQuery.cid(argument));
    int drained = channel.isDrained() ? ExtChanQuery.DRAINED : 0;
    int waiting = channel.isWaiting() ? ExtChanQuery.WAITING : 0;
    ExtChanQuery.state(argument, channel.state());
    ExtChanQuery.reason(argument, channel.errorReason());
    ExtChanQuery.info(argument, channel.errorInfo());
    ExtChanQuery.flags(argument, drained | waiting);
    ExtChanQuery.gpGet(argument, channel.gpGet());
    ExtChanQuery.gpPut(argument, channel.gpPut());
    ExtChanQuery.interrupts(argument, channel.interrupts());
    ExtChanQuery.faultAddress(argument, channel.errorAddress());
    ExtChanQuery.entries(argument, channel.entries());
    ExtChanQuery.busyNs(argument, channel.busyNs());
    ExtChanQuery.runningNs(argument, channel.runningNs());
    ExtChanQuery.instructions(argument, channel.instructions());
    ExtChanQuery.interpreted(argument, channel.interpreted());
  }

  /**
   * CHAN_STATE. Restoring needs a channel without a ring; it is suspended afterwards. A record that
   * is none ends the channel, because half of it may have been set.
   */
  static void state(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Channel channel = file.channel(call, ExtChanState.cid(argument));
    int op = ExtChanState.op(argument);
    switch (op) {
      case ExtChanState.SAVE -> save(call, channel);
      case ExtChanState.RESTORE -> restore(call, channel);
      default -> throw call.refuse(Errno.EINVAL, "op=" + op);
    }
  }

  private static void save(IoctlCall call, Channel channel) {
    if (channel.isNew() || channel.isDead()) {
      throw call.refuse(Errno.EINVAL, "the channel has no state");
    }
    if (!channel.isGated() || !channel.isBetweenCommands()) {
      throw call.refuse(Errno.EBUSY, "the channel runs");
    }
    byte[] record = ChannelRecord.save(channel);
    MemorySegment argument = call.argument();
    MemorySegment bytes = ExtChanState.state(argument);
    bytes.fill((byte) 0);
    MemorySegment.copy(record, 0, bytes, ValueLayout.JAVA_BYTE, 0, record.length);
    ExtChanState.size(argument, record.length);
  }

  private static void restore(IoctlCall call, Channel channel) {
    MemorySegment argument = call.argument();
    long size = ExtChanState.size(argument);
    if (size < 0 || size > ExtChanState.MAX_STATE_BYTES) {
      throw call.refuse(Errno.EINVAL, "size=" + size);
    }
    if (!channel.isNew()) {
      throw call.refuse(Errno.EBUSY, "the channel has a ring or has ended");
    }
    byte[] record = ExtChanState.state(argument).asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
    if (!ChannelRecord.restore(channel, record)) {
      channel.end(0, 0, 0);
      throw call.refuse(Errno.EINVAL, "not a channel's state");
    }
  }

  static void parameter(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    if (ExtChanParam.param(argument) == ExtChanParam.OPEN_WEIGHT) {
      setOpenWeight(file, call);
      return;
    }
    if (ExtChanParam.param(argument) == ExtChanParam.SWEEP) {
      sweep(file, call);
      return;
    }
    ChannelEntry entry = file.entry(call, ExtChanParam.cid(argument));
    long value = ExtChanParam.value(argument);
    switch (ExtChanParam.param(argument)) {
      case ExtChanParam.WEIGHT -> {
        if (value < 1 || value > MAX_WEIGHT) {
          throw call.refuse(Errno.EINVAL, "weight=" + value);
        }
        entry.channel().setWeight((int) value);
      }
      case ExtChanParam.PENDING -> setPending(file, call, entry.interrupts(), value);
      case ExtChanParam.EVENTFD -> setEventfd(file, call, entry.interrupts(), value);
      default -> throw call.refuse(Errno.EINVAL, "param=" + ExtChanParam.param(argument));
    }
  }

  private static void setOpenWeight(GpuFile file, IoctlCall call) {
    int cid = ExtChanParam.cid(call.argument());
    long value = ExtChanParam.value(call.argument());
    if (cid != 0 || value < 1 || value > TimeShare.MAX_WEIGHT) {
      throw call.refuse(Errno.EINVAL, "cid=" + cid + ", weight=" + value);
    }
    file.share.setWeight((int) value);
  }

  private static void sweep(GpuFile file, IoctlCall call) {
    long value = ExtChanParam.value(call.argument());
    if (ExtChanParam.cid(call.argument()) != 0 || value < 0 || value > 1) {
      throw call.refuse(Errno.EINVAL, "sweep=" + value);
    }
    file.setSweeping(value == 1);
  }

  private static void setPending(
      GpuFile file, IoctlCall call, DirectInterrupt interrupts, long value) {
    if (value == 0) {
      interrupts.setPending(null, 0);
      return;
    }
    MemoryRegion region = file.regions.get((int) (value >>> Integer.SIZE));
    if (region == null || !region.hasBit((int) value)) {
      throw call.refuse(Errno.EINVAL, "pending=0x" + Long.toHexString(value));
    }
    interrupts.setPending(region, (int) value);
  }

  private static void setEventfd(
      GpuFile file, IoctlCall call, DirectInterrupt interrupts, long value) {
    if (value == ExtChanParam.NO_EVENTFD) {
      interrupts.setEventfd(null);
      return;
    }
    if (value < 0 || value > Integer.MAX_VALUE || !interrupts.hasPending()) {
      throw call.refuse(Errno.EINVAL, "eventfd=" + value);
    }
    Kernel kernel = file.gpu().kernel();
    if (!kernel.canSignalForeign()) {
      throw call.refuse(Errno.EOPNOTSUPP, "the host has no asynchronous I/O");
    }
    Fd given = kernel.dup(new Fd((int) value, _ -> {}));
    if (!kernel.isEventfd(given)) {
      given.close();
      throw call.refuse(Errno.EINVAL, "not an eventfd, fd=" + value);
    }
    interrupts.setEventfd(given);
  }
}
