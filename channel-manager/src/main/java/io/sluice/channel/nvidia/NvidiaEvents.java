package io.sluice.channel.nvidia;

import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.alloc.EventAlloc;
import io.sluice.abi.rm.control.EventSetNotification;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.EventSink;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.state.ChannelError;
import java.util.ArrayList;
import java.util.List;

/**
 * The events of a guest's channels. RM tells that something has interrupted, or that some channel
 * has ended, but not which: an ended channel is found by its error notifier; an interrupt is passed
 * to every channel of the guest that runs, as interrupts are hints to look again.
 *
 * <p>A batch is taken under the open's lock and delivered outside it, so that a receiver may call
 * back. {@link #read} is called by one thread at a time, and allocates nothing but for errors.
 */
final class NvidiaEvents {
  private static final int INTERRUPTS =
      EventAlloc.FIFO_EVENT_MTHD | EventAlloc.NONSTALL_INTR | EventAlloc.WITHOUT_EVENT_DATA;

  private static final int ERRORS = EventAlloc.RC_ERROR | EventAlloc.WITHOUT_EVENT_DATA;

  private final Fd fd;

  // One batch, of the reading thread.
  private final int[] interrupted;
  private final List<ChannelError> ended = new ArrayList<>();

  private NvidiaEvents(Fd fd, int maxChannels) {
    this.fd = fd;
    interrupted = new int[maxChannels];
  }

  static NvidiaEvents open(RmClient client, int maxChannels) {
    Fd fd = client.openEvents(INTERRUPTS, ERRORS);
    try {
      // Only an event that there is can be armed; those of interrupts need it not.
      client.control(
          client.subdevice(),
          RmControl.EVENT_SET_NOTIFICATION,
          block -> {
            EventSetNotification.EVENT.setBits(block, EventAlloc.RC_ERROR);
            EventSetNotification.ACTION.setBits(block, EventSetNotification.ACTION_REPEAT);
          });
      return new NvidiaEvents(fd, maxChannels);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  Fd fd() {
    return fd;
  }

  int read(NvidiaGuestGpu gpu, EventSink sink) {
    long timeNs = gpu.timeNs();
    int count = gpu.collect(interrupted, ended, timeNs);
    for (int i = 0; i < count; i++) {
      sink.interrupt(interrupted[i], timeNs);
    }
    int errors = ended.size();
    for (int i = 0; i < errors; i++) {
      sink.error(ended.get(i));
    }
    ended.clear();
    return count + errors;
  }

  void close() {
    fd.close();
  }
}
