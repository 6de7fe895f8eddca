package io.sluice.migrate.session;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.HostLimits;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.vdevice.dma.DmaTable;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.dma.MapPace;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.MachineSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** A device that may have sessions, and has none: its machine has no memory one could be in. */
final class SessionlessDevice implements ApiSessions {
  private SessionlessDevice() {}

  static MachineSessions sessions(Kernel kernel, ThreadFactory threads) {
    MapBudget budget = new MapBudget(new HostLimits(1 << 20, 1 << 20, 1 << 30), 0);
    DmaTable dma =
        new DmaTable(
            kernel,
            budget.share("guest", new MapLimits(0, 0)),
            MemoryBudget.upTo(() -> 0),
            new MapPace(() -> 1),
            null);
    return new MachineSessions(kernel, dma, new SessionlessDevice(), threads, () -> {});
  }

  @Override
  public Opened open(int api, SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended) {
    throw new AssertionError("no session is opened");
  }

  @Override
  public Opened arrive(
      int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended) {
    throw new AssertionError("no session has memory");
  }

  @Override
  public long mostMemoryBytes() {
    return 0;
  }
}
