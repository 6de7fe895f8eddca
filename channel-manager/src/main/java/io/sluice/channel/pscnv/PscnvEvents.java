package io.sluice.channel.pscnv;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.pscnv.ExtEvent;
import io.sluice.abi.pscnv.ExtEventFd;
import io.sluice.abi.pscnv.ExtEventRead;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.EventSink;
import io.sluice.channel.state.ChannelError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The events of one open. A batch is copied under the lock and delivered outside it, so that a
 * receiver may call back, and so that closing never pulls the buffer away from under a reader. A
 * real pscnv has no events; its descriptor never becomes readable. The software GPU keeps the
 * descriptor readable exactly as long as records wait.
 *
 * <p>{@link #read} is called by one thread at a time and allocates nothing but for errors.
 */
final class PscnvEvents {
  private final PscnvCalls calls;
  private final ChannelIds ids;
  private final Fd fd;
  private final boolean extended;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment records = arena.allocate(ExtEventRead.LAYOUT);

  // One batch, of the reading thread.
  private final int[] guestIds = new int[ExtEventRead.MAX_RECORDS];
  private final int[] kinds = new int[ExtEventRead.MAX_RECORDS];
  private final int[] codes = new int[ExtEventRead.MAX_RECORDS];
  private final int[] infos = new int[ExtEventRead.MAX_RECORDS];
  private final long[] addresses = new long[ExtEventRead.MAX_RECORDS];
  private final long[] times = new long[ExtEventRead.MAX_RECORDS];

  @GuardedBy("this")
  private boolean closed;

  private PscnvEvents(PscnvCalls calls, ChannelIds ids, Fd fd, boolean extended) {
    this.calls = calls;
    this.ids = ids;
    this.fd = fd;
    this.extended = extended;
  }

  static PscnvEvents open(PscnvCalls calls, Kernel kernel, boolean extended, ChannelIds ids) {
    Fd fd;
    if (extended) {
      fd = kernel.adopt((int) calls.ask(PscnvIoctl.EVENT_FD, _ -> {}, ExtEventFd.FD::get));
    } else {
      fd = kernel.eventfd(0, Kernel.NONBLOCK);
    }
    return new PscnvEvents(calls, ids, fd, extended);
  }

  Fd fd() {
    return fd;
  }

  int read(EventSink sink) {
    int total = 0;
    int count;
    do {
      count = readBatch();
      for (int i = 0; i < count; i++) {
        deliver(i, sink);
      }
      total += count;
    } while (count == ExtEventRead.MAX_RECORDS);
    return total;
  }

  private synchronized int readBatch() {
    if (closed || !extended) {
      return 0;
    }
    ExtEventRead.COUNT.setBits(records, ExtEventRead.MAX_RECORDS);
    calls.issue(PscnvIoctl.EVENT_READ, records);
    int count = (int) Math.min(ExtEventRead.COUNT.get(records), ExtEventRead.MAX_RECORDS);
    for (int i = 0; i < count; i++) {
      long at = ExtEventRead.RECORDS.offsetOf(i);
      guestIds[i] = ids.guestId(ExtEvent.CID.bits(records, at));
      kinds[i] = ExtEvent.KIND.bits(records, at);
      codes[i] = ExtEvent.CODE.bits(records, at);
      infos[i] = ExtEvent.INFO.bits(records, at);
      addresses[i] = ExtEvent.ADDRESS.get(records, at);
      times[i] = ExtEvent.TIME_NS.get(records, at);
    }
    return count;
  }

  private void deliver(int i, EventSink sink) {
    if (kinds[i] == ExtEvent.KIND_EXCESS) {
      sink.excessMemory(addresses[i]);
      return;
    }
    if (guestIds[i] == ChannelIds.NONE) {
      return; // freed meanwhile
    }
    if (kinds[i] == ExtEvent.KIND_INTERRUPT) {
      sink.interrupt(guestIds[i], times[i]);
    } else if (kinds[i] == ExtEvent.KIND_ERROR) {
      sink.error(new ChannelError(guestIds[i], codes[i], infos[i], addresses[i], times[i]));
    }
  }

  synchronized void close() {
    if (!closed) {
      closed = true;
      fd.close();
      arena.close();
    }
  }
}
