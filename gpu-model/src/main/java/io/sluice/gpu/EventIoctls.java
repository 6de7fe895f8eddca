package io.sluice.gpu;

import io.sluice.abi.pscnv.ExtEvent;
import io.sluice.abi.pscnv.ExtEventFd;
import io.sluice.abi.pscnv.ExtEventRead;
import io.sluice.abi.sys.Errno;
import io.sluice.gpu.fifo.Channel;
import io.sluice.gpu.fifo.EventLatch;
import java.lang.foreign.MemorySegment;

/**
 * The extensions that deliver events. The events of a channel are latched in the channel; the
 * eventfd only says that there may be some, and stays readable until the last one was read.
 */
final class EventIoctls {
  private EventIoctls() {}

  static void descriptor(GpuFile file, IoctlCall call) {
    ExtEventFd.fd(call.argument(), file.gpu().kernel().dup(file.events()).number());
  }

  static void read(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    int wanted = ExtEventRead.count(argument);
    if (wanted < 1 || wanted > ExtEventRead.MAX_RECORDS) {
      throw call.refuse(Errno.EINVAL, "count=" + wanted);
    }
    file.gpu().kernel().drain(file.events());
    int count = 0;
    boolean more = false;
    for (ChannelEntry entry : file.channels.values()) {
      Channel channel = entry.channel();
      EventLatch latch = channel.events();
      if (latch.hasInterrupt() && count < wanted) {
        long offset = ExtEventRead.recordOffset(count++);
        ExtEvent.cid(argument, offset, channel.cid());
        ExtEvent.kind(argument, offset, ExtEvent.KIND_INTERRUPT);
        ExtEvent.code(argument, offset, 0);
        ExtEvent.info(argument, offset, 0);
        ExtEvent.address(argument, offset, 0);
        ExtEvent.timeNs(argument, offset, latch.takeInterrupt());
      }
      if (latch.hasError() && count < wanted) {
        long offset = ExtEventRead.recordOffset(count++);
        ExtEvent.cid(argument, offset, channel.cid());
        ExtEvent.kind(argument, offset, ExtEvent.KIND_ERROR);
        ExtEvent.code(argument, offset, channel.errorReason());
        ExtEvent.info(argument, offset, channel.errorInfo());
        ExtEvent.address(argument, offset, channel.errorAddress());
        ExtEvent.timeNs(argument, offset, latch.takeError());
      }
      more |= latch.hasInterrupt() || latch.hasError();
    }
    if (more) {
      file.gpu().kernel().signal(file.events());
    }
    ExtEventRead.count(argument, count);
  }
}
