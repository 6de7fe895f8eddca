package io.sluice.remoting.relay;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.LinkedSession;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A session's near end that nobody serves, with a stream to the host on which it lives and one to
 * the host that it comes to; of both there is only the other end of the stream.
 */
final class NearEnd implements AutoCloseable {
  private static final long BYTES = 1 << 20;

  final Kernel kernel = RealKernel.create();
  final ExecutorService workers = Executors.newCachedThreadPool();
  final SessionSettings settings;
  final SharedMemory memory = new SharedMemory(kernel, BYTES);
  final LinkedSession linked;
  final RelayApi api;
  final RelayWire wire;

  /** The end of the host on which the session lives. */
  final StateLink far;

  /** Here, and at the host that the session comes to. */
  final StateLink here;

  final StateLink there;
  private final StateLink near;
  private final List<Fd> application = kernel.socketpair();

  /**
   * @param storage memory that is objects' storage, and not mapped
   */
  NearEnd(List<MemoryRange> storage) {
    RelayableApi stored = new StoredApi(storage);
    settings =
        new SessionSettings(
            kernel,
            Map.of(stored.number(), stored),
            BYTES,
            new MemoryAccount(() -> 0),
            DeviceTurns.alone(),
            Thread::new,
            workers,
            System::nanoTime);
    List<Fd> pair = kernel.socketpair();
    near = new StateLink(kernel, pair.get(0));
    far = new StateLink(kernel, pair.get(1));
    pair = kernel.socketpair();
    here = new StateLink(kernel, pair.get(0));
    there = new StateLink(kernel, pair.get(1));
    wire = new RelayWire(near);
    try (Fd file = kernel.memfdCreate("near-end", BYTES)) {
      kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
      memory.add(0, file, BYTES);
    }
    api = new RelayApi(stored, wire, memory, stored.ranges(), new PendingRanges());
    linked =
        LinkedSession.arriving(
            settings,
            api,
            List.of(application.get(0), kernel.eventfd(0, Kernel.NONBLOCK)),
            memory,
            all -> SessionPort.of(kernel, all));
  }

  SessionReturn.Near near() {
    return new SessionReturn.Near(linked, api, memory, wire);
  }

  @Override
  public void close() {
    workers.shutdownNow();
    linked.session().discard();
    linked.close();
    memory.close();
    application.forEach(Fd::close);
    List.of(near, far, here, there).forEach(StateLink::close);
  }

  /** An API whose objects have memory of the application as their storage. */
  private record StoredApi(List<MemoryRange> storage) implements RelayableApi {
    @Override
    public int number() {
      return 5;
    }

    @Override
    public String name() {
      return "stored";
    }

    @Override
    public List<ObjectKind> kinds() {
      return List.of();
    }

    @Override
    public ApiSession open(SessionContext context) {
      throw new AssertionError("its calls go to another host");
    }

    @Override
    public CallRanges ranges() {
      return new CallRanges() {
        @Override
        public NamedRanges of(int number, byte[] message) {
          return new NamedRanges(List.of(), List.of());
        }

        @Override
        public NamedRanges of(StateItem.Open item) {
          return new NamedRanges(List.of(), List.of());
        }

        @Override
        public void take(StateItem item) {
          // its objects are there from the beginning
        }

        @Override
        public List<MemoryRange> storage() {
          return storage;
        }

        @Override
        public List<MemoryRange> unmappedStorage() {
          return storage;
        }
      };
    }
  }
}
