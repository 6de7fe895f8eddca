package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtChanState;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.fifo.ChannelImage;
import io.sluice.gpu.fifo.GpuChannel;
import io.sluice.gpu.mmu.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The extensions that take a channel in hand. */
final class ControlIoctls {
  private static final int MAX_WEIGHT = 1024;

  private ControlIoctls() {}

  /**
   * CHAN_CONTROL. The gates are not counted: who suspends for several reasons counts them. All but
   * KILL waits for the engine.
   */
  static void control(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    int op = ExtChanControl.OP.bits(argument);
    if (op != ExtChanControl.KILL) {
      file.gate.awaitOutside();
    }
    ChannelEntry entry = file.entry(call, ExtChanControl.CID.bits(argument));
    GpuChannel channel = entry.channel();
    switch (op) {
      case ExtChanControl.SUSPEND -> channel.setSuspended(true);
      case ExtChanControl.RESUME -> channel.setSuspended(false);
      case ExtChanControl.DETACH -> channel.setDetached(true);
      case ExtChanControl.ATTACH -> channel.setDetached(false);
      case ExtChanControl.KILL -> kill(file, call, entry);
      default -> throw call.refuse(Errno.EINVAL, "op=" + op);
    }
    call.afterwards(file.card()::wake);
  }

  /**
   * Of a guest that keeps the engine in its memory the channel ends when the engine comes out, and
   * is told to have ended before: whoever takes anything away from it waits for the engine.
   */
  private static void kill(GpuFile file, IoctlCall call, ChannelEntry entry) {
    int reason = ExtChanControl.REASON.bits(call.argument());
    int info = ExtChanControl.INFO.bits(call.argument());
    GpuChannel channel = entry.channel();
    if (!file.gate.isInside()) {
      channel.end(reason, info, channel.commandAddress());
      call.afterwards(file.card().launcher().quiesce(channel.space()));
    } else if (entry.noteEnd(reason, info)) {
      file.gate.whenOut(() -> channel.end(reason, info, channel.commandAddress()));
    }
  }

  /**
   * CHAN_QUERY. Of a guest that keeps the engine in its memory it tells how the channel was before,
   * and that it is not drained.
   */
  static void query(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    ChannelEntry entry = file.entry(call, ExtChanQuery.CID.bits(argument));
    if (file.gate.isInside()) {
      argument.copyFrom(entry.lastQuery().asSlice(0, argument.byteSize()));
      int flags = ExtChanQuery.FLAGS.bits(argument);
      ExtChanQuery.FLAGS.setBits(argument, flags & ~ExtChanQuery.DRAINED);
      return;
    }
    fill(entry.channel(), argument);
    entry.lastQuery().asSlice(0, argument.byteSize()).copyFrom(argument);
  }

  private static void fill(GpuChannel channel, MemorySegment argument) {
    int drained = channel.isDrained() ? ExtChanQuery.DRAINED : 0;
    int waiting = channel.isWaiting() ? ExtChanQuery.WAITING : 0;
    ExtChanQuery.STATE.setBits(argument, channel.state());
    ExtChanQuery.REASON.setBits(argument, channel.errorReason());
    ExtChanQuery.INFO.setBits(argument, channel.errorInfo());
    ExtChanQuery.FLAGS.setBits(argument, drained | waiting);
    ExtChanQuery.GP_GET.setBits(argument, channel.gpGet());
    ExtChanQuery.GP_PUT.setBits(argument, channel.gpPut());
    ExtChanQuery.INTERRUPTS.setBits(argument, channel.interrupts());
    ExtChanQuery.FAULT_ADDRESS.set(argument, channel.errorAddress());
    ExtChanQuery.ENTRIES.set(argument, channel.entries());
    ExtChanQuery.BUSY_NS.set(argument, channel.busyNs());
    ExtChanQuery.RUNNING_NS.set(argument, channel.runningNs());
    ExtChanQuery.INSTRUCTIONS.set(argument, channel.instructions());
    ExtChanQuery.INTERPRETED.set(argument, channel.interpreted());
  }

  /**
   * CHAN_STATE. Restoring needs a channel without a ring; it is suspended afterwards. A record that
   * is none ends the channel, because half of it may have been set.
   */
  static void state(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    GpuChannel channel = file.channel(call, ExtChanState.CID.bits(argument));
    int op = ExtChanState.OP.bits(argument);
    switch (op) {
      case ExtChanState.SAVE -> save(call, channel);
      case ExtChanState.RESTORE -> restore(call, channel);
      default -> throw call.refuse(Errno.EINVAL, "op=" + op);
    }
  }

  private static void save(IoctlCall call, GpuChannel channel) {
    if (channel.isNew() || channel.isDead()) {
      throw call.refuse(Errno.EINVAL, "the channel has no state");
    }
    if (!channel.isGated() || !channel.isBetweenCommands()) {
      throw call.refuse(Errno.EBUSY, "the channel runs");
    }
    byte[] record = ChannelImage.save(channel);
    MemorySegment argument = call.argument();
    MemorySegment bytes = ExtChanState.STATE.slice(argument);
    bytes.fill((byte) 0);
    MemorySegment.copy(record, 0, bytes, ValueLayout.JAVA_BYTE, 0, record.length);
    ExtChanState.SIZE_FIELD.set(argument, record.length);
  }

  private static void restore(IoctlCall call, GpuChannel channel) {
    MemorySegment argument = call.argument();
    long size = ExtChanState.SIZE_FIELD.get(argument);
    if (size < 0 || size > ExtChanState.MAX_STATE_BYTES) {
      throw call.refuse(Errno.EINVAL, "size=" + size);
    }
    if (!channel.isNew()) {
      throw call.refuse(Errno.EBUSY, "the channel has a ring or has ended");
    }
    byte[] record =
        ExtChanState.STATE.slice(argument).asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
    if (!ChannelImage.restore(channel, record)) {
      channel.end(0, 0, 0);
      throw call.refuse(Errno.EINVAL, "not a channel's state");
    }
  }

  /** CHAN_PARAM: an eventfd is looked at before the lock is taken, since it is somebody else's. */
  static IoctlHandler prepareParameter(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    long value = ExtChanParam.VALUE.get(argument);
    if (ExtChanParam.PARAM.bits(argument) != ExtChanParam.EVENTFD
        || value == ExtChanParam.NO_EVENTFD
        || value < 0
        || value > Integer.MAX_VALUE) {
      return (_, _) -> parameter(file, call, null);
    }
    Kernel kernel = file.card().kernel();
    if (!kernel.canSignalForeign()) {
      throw call.refuse(Errno.EOPNOTSUPP, "the host has no asynchronous I/O");
    }
    Fd given = kernel.dup(new Fd((int) value, _ -> {}));
    call.ifRefused(given::close);
    if (!kernel.isEventfd(given)) {
      throw call.refuse(Errno.EINVAL, "not an eventfd, fd=" + value);
    }
    return (_, _) -> parameter(file, call, given);
  }

  private static void parameter(GpuFile file, IoctlCall call, @Nullable Fd eventfd) {
    MemorySegment argument = call.argument();
    if (ExtChanParam.PARAM.bits(argument) == ExtChanParam.OPEN_WEIGHT) {
      setOpenWeight(file, call);
      return;
    }
    if (ExtChanParam.PARAM.bits(argument) == ExtChanParam.SWEEP) {
      sweep(file, call);
      return;
    }
    ChannelEntry entry = file.entry(call, ExtChanParam.CID.bits(argument));
    long value = ExtChanParam.VALUE.get(argument);
    switch (ExtChanParam.PARAM.bits(argument)) {
      case ExtChanParam.WEIGHT -> {
        if (value < 1 || value > MAX_WEIGHT) {
          throw call.refuse(Errno.EINVAL, "weight=" + value);
        }
        entry.channel().setWeight((int) value);
      }
      case ExtChanParam.PENDING -> setPending(file, call, entry.interrupts(), value);
      case ExtChanParam.EVENTFD -> setEventfd(call, entry.interrupts(), value, eventfd);
      default -> throw call.refuse(Errno.EINVAL, "param=" + ExtChanParam.PARAM.bits(argument));
    }
  }

  private static void setOpenWeight(GpuFile file, IoctlCall call) {
    int cid = ExtChanParam.CID.bits(call.argument());
    long value = ExtChanParam.VALUE.get(call.argument());
    if (cid != 0 || value < 1 || value > TimeShare.MAX_WEIGHT) {
      throw call.refuse(Errno.EINVAL, "cid=" + cid + ", weight=" + value);
    }
    file.share.setWeight((int) value);
  }

  private static void sweep(GpuFile file, IoctlCall call) {
    long value = ExtChanParam.VALUE.get(call.argument());
    if (ExtChanParam.CID.get(call.argument()) != 0 || value < 0 || value > 1) {
      throw call.refuse(Errno.EINVAL, "sweep=" + value);
    }
    file.setSweeping(value == 1);
  }

  private static void setPending(
      GpuFile file, IoctlCall call, DirectInterrupt interrupts, long value) {
    if (value == 0) {
      interrupts.takeEventfd().ifPresent(former -> call.afterwards(former::close));
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
      IoctlCall call, DirectInterrupt interrupts, long value, @Nullable Fd eventfd) {
    if (value != ExtChanParam.NO_EVENTFD && (eventfd == null || !interrupts.hasPending())) {
      throw call.refuse(Errno.EINVAL, "eventfd=" + value);
    }
    interrupts.takeEventfd().ifPresent(former -> call.afterwards(former::close));
    interrupts.setEventfd(eventfd);
  }
}
