package io.sluice.testbed.workloads.device;

import io.sluice.guest.AttachedDevice;
import io.sluice.guest.BufferRequest;
import io.sluice.guest.BufferSet;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A channel of a process that is attached as a guest. */
public final class GuestPort implements ComputePort, AutoCloseable {
  private static final int TIMEOUT_MS = 600_000;

  private final AttachedDevice device;
  private final Space space;
  private final ClientChannel channel;
  private final boolean interrupt;
  private final List<BufferSet> sets = new ArrayList<>();

  /**
   * Makes an address space and a channel.
   *
   * @param interrupt to wait for the GPU asleep, by the channel's interrupt; otherwise by polling
   */
  public GuestPort(AttachedDevice device, boolean interrupt) {
    this.device = device;
    this.interrupt = interrupt;
    this.space = device.newSpace();
    this.channel = space.newChannel();
  }

  /** The channel's id. */
  public int channel() {
    return channel.id();
  }

  @Override
  public List<Memory> allocate(List<BufferRequest> requests) {
    BufferSet set = space.allocate(requests);
    sets.add(set);
    return IntStream.range(0, requests.size())
        .mapToObj(n -> new Memory(set.address(n), set.bytes(n)))
        .toList();
  }

  @Override
  public Memory system(long bytes) {
    return allocate(List.of(BufferRequest.process(bytes))).getFirst();
  }

  @Override
  public Memory video(long bytes) {
    return allocate(List.of(BufferRequest.video(bytes))).getFirst();
  }

  @Override
  public void run(Pushbuffer words) {
    if (!interrupt) {
      channel.awaitByPolling(channel.submitWithFence(words));
    } else if (!channel.awaitByInterrupt(channel.submitWithInterrupt(words), TIMEOUT_MS)) {
      throw new IllegalStateException("the GPU was not done within " + TIMEOUT_MS + " ms");
    }
  }

  @Override
  public void close() {
    channel.close();
    sets.forEach(BufferSet::close);
    sets.clear();
    space.close();
  }
}
