package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.pscnv.ExtEvent;
import io.sluice.abi.pscnv.ExtEventFd;
import io.sluice.abi.pscnv.ExtEventRead;
import io.sluice.gpu.fifo.EventLatch;
import io.sluice.gpu.fifo.GpuChannel;
import java.lang.foreign.MemorySegment;

/**
 * The extensions that deliver events. The events of a channel are latched in the channel; the
 * eventfd only says that there may be some, and stays readable until the last one was read.
 */
final class EventIoctls {
  private EventIoctls() {}

  static void descriptor(GpuFile file, IoctlCall call) {
    ExtEventFd.FD.set(call.argument(), file.card().kernel().dup(file.events()).number());
  }

  static void read(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    long wanted = ExtEventRead.COUNT.get(argument);
    if (wanted < 1 || wanted > ExtEventRead.MAX_RECORDS) {
      throw call.refuse(Errno.EINVAL, "count=" + wanted);
    }
    file.card().kernel().drain(file.events());
    Records records = new Records(file, argument, (int) wanted);
    records.takeExcess();
    int last = file.lastEventCid;
    file.channels.tailMap(last, false).values().forEach(records::take);
    file.channels.headMap(last, true).values().forEach(records::take);
    if (records.more) {
      file.card().kernel().signal(file.events());
    }
    ExtEventRead.COUNT.set(argument, records.count);
  }

  /** The answer while it is filled. */
  private static final class Records {
    private final GpuFile file;
    private final MemorySegment argument;
    private final int wanted;
    private int count;
    private boolean more;

    Records(GpuFile file, MemorySegment argument, int wanted) {
      this.file = file;
      this.argument = argument;
      this.wanted = wanted;
    }

    void takeExcess() {
      if (file.hasUnreportedExcess()) {
        int times = (int) Math.min(file.offences(), Integer.MAX_VALUE);
        long nowNs = file.card().clock().getAsLong();
        put(0, ExtEvent.KIND_EXCESS, times, 0, file.takeUnreportedExcess(), nowNs);
      }
    }

    void take(ChannelEntry entry) {
      GpuChannel channel = entry.channel();
      EventLatch latch = channel.events();
      if (latch.hasInterrupt() && count < wanted) {
        putOf(channel, ExtEvent.KIND_INTERRUPT, 0, 0, 0, latch.takeInterrupt());
      }
      if (latch.hasError() && count < wanted) {
        putOf(
            channel,
            ExtEvent.KIND_ERROR,
            channel.errorReason(),
            channel.errorInfo(),
            channel.errorAddress(),
            latch.takeError());
      }
      more |= latch.hasInterrupt() || latch.hasError();
    }

    private void putOf(
        GpuChannel channel, int kind, int code, int info, long address, long timeNs) {
      put(channel.cid(), kind, code, info, address, timeNs);
      file.lastEventCid = channel.cid();
    }

    private void put(int cid, int kind, int code, int info, long address, long timeNs) {
      long offset = ExtEventRead.RECORDS.offsetOf(count++);
      ExtEvent.CID.setBits(argument, offset, cid);
      ExtEvent.KIND.setBits(argument, offset, kind);
      ExtEvent.CODE.setBits(argument, offset, code);
      ExtEvent.INFO.setBits(argument, offset, info);
      ExtEvent.ADDRESS.set(argument, offset, address);
      ExtEvent.TIME_NS.set(argument, offset, timeNs);
    }
  }
}
