package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.EventKernel;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The events of a fake kernel: eventfds, and waits for what can be read or written. */
final class FakeEvents implements EventKernel {
  private final CallGate gate;
  private final DescriptorTable descriptors;

  FakeEvents(CallGate gate, DescriptorTable descriptors) {
    this.gate = gate;
    this.descriptors = descriptors;
  }

  @Override
  public Fd eventfd(int initial, int flags) {
    return gate.call(
        "eventfd",
        () -> {
          if ((flags & ~NONBLOCK) != 0) {
            throw new SyscallException("eventfd", "flags=" + flags, Errno.EINVAL.number());
          }
          return descriptors.install(new EventFile(descriptors.nextInode(), initial, flags != 0));
        });
  }

  @Override
  public void signal(Fd eventfd) {
    gate.run(
        "signal",
        () -> {
          EventFile event = descriptors.eventFile(eventfd);
          gate.untilPossible(event.nonBlocking, () -> event.add(1) ? 1 : -1);
        });
  }

  @Override
  public void signalForeign(Fd eventfd) {
    gate.run("signalForeign", () -> descriptors.eventFile(eventfd).add(1));
  }

  @Override
  public boolean canSignalForeign() {
    return true;
  }

  /** Nobody sleeps on memory in a fake kernel. */
  @Override
  public void wakeFutex(MemorySegment word) {
    gate.run("wakeFutex", () -> {});
  }

  @Override
  public boolean isEventfd(Fd fd) {
    return gate.call("isEventfd", () -> descriptors.file(fd, "readlink") instanceof EventFile);
  }

  @Override
  public long drain(Fd eventfd) {
    return gate.call(
        "drain",
        () -> {
          EventFile event = descriptors.eventFile(eventfd);
          long taken =
              gate.untilPossible(
                  event.nonBlocking, () -> event.readiness() == POLLOUT ? -1 : event.take());
          return taken == -1 ? 0 : taken;
        });
  }

  @Override
  public int pollNs(List<Fd> fds, short[] events, short[] revents, long timeoutNs) {
    return gate.call(
        "poll",
        () -> {
          long leftNanos = timeoutNs;
          while (true) {
            int ready = 0;
            for (int i = 0; i < fds.size(); i++) {
              int reported = events[i] | POLLHUP | POLLERR;
              revents[i] = (short) (descriptors.file(fds.get(i), "ppoll").readiness() & reported);
              ready += revents[i] != 0 ? 1 : 0;
            }
            if (ready > 0 || (timeoutNs >= 0 && leftNanos <= 0)) {
              return ready;
            }
            leftNanos = gate.await(timeoutNs < 0 ? Long.MAX_VALUE : leftNanos);
          }
        });
  }
}
