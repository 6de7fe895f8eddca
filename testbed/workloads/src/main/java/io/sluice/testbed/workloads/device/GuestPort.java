package io.sluice.testbed.workloads.device;

import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.GuestDevice;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.util.ArrayList;
import java.util.List;

/** A channel of a process that is attached as a guest. */
public final class GuestPort implements ComputePort, AutoCloseable {
  private static final int TIMEOUT_MS = 600_000;

  private final GuestDevice device;
  private final Space space;
  private final ClientChannel channel;
  private final boolean interrupt;
  private final List<Mapped> mapped = new ArrayList<>();

  private record Mapped(Buffer buffer, Memory memory) {}

  /**
   * Makes an address space and a channel.
   *
   * @param interrupt to wait for the GPU asleep, by the channel's interrupt; otherwise by polling
   */
  public GuestPort(GuestDevice device, boolean interrupt) {
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
  public Memory system(long bytes) {
    return map(device.allocateProcess(bytes));
  }

  @Override
  public Memory video(long bytes) {
    return map(device.allocateVideo(bytes));
  }

  private Memory map(Buffer buffer) {
    Memory memory = new Memory(space.map(buffer), buffer.bytes());
    mapped.add(new Mapped(buffer, memory));
    return memory;
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
    for (Mapped m : mapped) {
      space.unmap(m.memory.address());
      m.buffer.close();
    }
    mapped.clear();
    space.close();
  }
}
