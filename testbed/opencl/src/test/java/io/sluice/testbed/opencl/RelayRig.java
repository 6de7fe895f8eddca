package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.opencl.KernelOutput;
import io.sluice.remoting.opencl.OpenClApi;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Sessions of this host's OpenCL in this process, and the other ends of their streams, played. */
final class RelayRig implements AutoCloseable {
  static final long SEGMENT_BYTES = 1 << 20;
  static final long MOST_BYTES = 4 << 20;
  static final StateItem.Head HEAD =
      new StateItem.Head(1, StateItem.ApplicationPlace.HOST, "a test");
  static final StateItem.Segment SEGMENT = new StateItem.Segment(0, SEGMENT_BYTES, List.of());
  static final StateItem.Ring RING = new StateItem.Ring(0, 0, 0);
  private static final int PATIENCE_MS = 60_000;

  final Kernel kernel = RealKernel.create();
  final ExecutorService workers = Executors.newCachedThreadPool();
  final SessionSettings settings;
  private final List<Fd> output = kernel.socketpair(); // of kernels

  RelayRig() {
    this(MOST_BYTES);
  }

  /**
   * @param mostMemory that its sessions' objects may have
   */
  RelayRig(long mostMemory) {
    OpenClApi api = new OpenClApi(new KernelOutput(kernel, output.getFirst()));
    settings =
        new SessionSettings(
            kernel,
            Map.of(api.number(), api),
            MOST_BYTES,
            new MemoryAccount(() -> mostMemory),
            DeviceTurns.alone(),
            Thread::new,
            workers,
            System::nanoTime);
  }

  @Override
  public void close() {
    workers.shutdownNow();
    output.forEach(Fd::close);
  }

  /** A message of a ring. */
  static byte[] call(int number, int slot, long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(16 + 8 * words.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(0, 16 + 8 * words.length)
            .putShort(4, (short) number)
            .putInt(8, slot)
            .position(16);
    for (long word : words) {
      bytes.putLong(word);
    }
    return bytes.array();
  }

  /** The far end of a session, until it is over. */
  CompletableFuture<Void> serve(StateLink far) {
    return CompletableFuture.runAsync(
        () -> {
          try (Mirror mirror = Mirror.begin(settings, far)) {
            mirror.serve();
          } catch (StateException refused) {
            throw new AssertionError(refused);
          }
        },
        workers);
  }

  /** As a near end that has nothing but its ring. */
  static void begin(StateLink near) throws StateException {
    begin(near, HEAD, SEGMENT, new StateItem.Prepared());
  }

  /**
   * As a near end.
   *
   * @param items up to the first question
   */
  static void begin(StateLink near, StateItem... items) throws StateException {
    near.patience(PATIENCE_MS);
    for (StateItem item : items) {
      near.write(item);
    }
    near.flush();
    assertThat(next(near)).isEqualTo(new StateItem.Ready());
    near.write(RING);
    near.write(new StateItem.Complete());
    near.flush();
    assertThat(next(near)).isEqualTo(new StateItem.Ready());
    near.write(new StateItem.Go());
    near.flush();
  }

  /** The next item that is no sign of life. */
  static StateItem next(StateLink link) throws StateException {
    StateItem item = link.read();
    return item instanceof StateItem.Beat ? next(link) : item;
  }
}
