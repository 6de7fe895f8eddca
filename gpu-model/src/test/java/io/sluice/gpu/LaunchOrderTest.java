package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What comes before a launch in a stream happens before it, and what comes after, after it. */
@Timeout(60)
class LaunchOrderTest {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final int STORES = 200;
  private static final int THREADS = 32;
  private static final int SEQUENCE = 7;

  /** Stores c[0][0x28] where c[0][0x20] points, and ends. */
  private static final long[] STORE = {
    0x2800400080009de4L, // MOV R2, c[0][0x20]
    0x280040009000dde4L, // MOV R3, c[0][0x24]
    0x28004000a0011de4L, // MOV R4, c[0][0x28]
    0x9400000000211c85L, // ST.E [R2], R4
    0x8000000000001de7L // EXIT
  };

  /** Each thread of each block adds 1 to the word that c[0][0x20] points to. */
  private static final long[] ADD = {
    0x2800400080009de4L,
    0x280040009000dde4L,
    0x1800000004011de2L, // MOV32I R4, 1
    0x1400000000211c05L, // RED.E.ADD [R2], R4
    0x8000000000001de7L
  };

  private final ExecutorService compute = Executors.newFixedThreadPool(2);
  private final Rig rig = new Rig(compute, 2);
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = new GuestChannel(client, vid, 9);
  private final Client.Memory target = client.memory(vid, PscnvGem.VRAM_SMALL, 4096);
  private final Client.Memory fence = client.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);
  private final Client.Memory code = client.memory(vid, PscnvGem.VRAM_SMALL, 4096);
  private final Client.Memory bank = client.memory(vid, PscnvGem.VRAM_SMALL, 4096);

  @AfterEach
  void close() throws InterruptedException {
    rig.close();
    compute.shutdown();
    assertThat(compute.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  private static int[] method(int method, int... data) {
    return join(new int[] {0x20000000 | data.length << 16 | method >> 2}, data);
  }

  /** All that a launch needs but its constants and the launch itself. */
  private int[] setUp(long[] program, int blocks) {
    for (int i = 0; i < program.length; i++) {
      code.bytes().setAtIndex(ValueLayout.JAVA_LONG, i, program[i]);
    }
    return Stream.of(
            method(0, 0x90c0),
            method(0x1608, (int) (code.va() >>> 32), (int) code.va()),
            method(0x2380, 0x100, (int) (bank.va() >>> 32), (int) bank.va()),
            method(0x1694, 1),
            method(0x214, 0x01000000),
            method(0x77c, 0x02000000),
            method(0x238, 1 << 16 | blocks, 1),
            method(0x3ac, 1 << 16 | THREADS, 1),
            method(0x250, THREADS),
            method(0x2c0, 20))
        .reduce(new int[0], Words::join);
  }

  private static int[] constant(int offset, int... words) {
    return join(
        method(0x238c, offset), join(new int[] {0x60000000 | words.length << 16 | 0x8e4}, words));
  }

  private int[] pointer(long offset) {
    long address = target.va() + offset;
    return constant(0x20, (int) address, (int) (address >>> 32));
  }

  /** Fences of each kind that a driver uses. */
  private int[] fence(String kind) {
    int high = (int) (fence.va() >>> 32);
    int low = (int) fence.va();
    return switch (kind) {
      case "report" -> method(0x1b00, high, low, SEQUENCE, 0);
      case "report of one word" -> method(0x1b00, high, low, SEQUENCE, 1 << 28);
      case "wait for idle, report" ->
          join(method(0x110, 0), method(0x1b00, high, low, SEQUENCE, 0));
      case "membar, report" ->
          join(new int[] {0x60020087, 4, 0x1111}, method(0x1b00, high, low, SEQUENCE, 0));
      case "semaphore of the channel" -> method(0x10, high, low, SEQUENCE, 2);
      default -> throw new AssertionError(kind);
    };
  }

  static List<String> fences() {
    return List.of(
        "report",
        "report of one word",
        "wait for idle, report",
        "membar, report",
        "semaphore of the channel");
  }

  private void awaitFence() {
    while ((int) INT.getAcquire(fence.bytes(), 0L) != SEQUENCE) {
      assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
      rig.cycle();
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @MethodSource("fences")
  void fence_afterALaunch_comesWhenAllIsStored(String kind) {
    channel.submit(
        join(setUp(ADD, STORES), join(pointer(0), join(method(0x368, 0x1000), fence(kind)))));

    awaitFence();

    assertThat((int) INT.get(target.bytes(), 0L)).isEqualTo(STORES * THREADS);
  }

  @Test
  void constants_loadedBetweenLaunches_areThoseOfTheNext() {
    List<int[]> words = new ArrayList<>();
    words.add(setUp(STORE, 50));
    for (int n = 0; n < STORES; n++) {
      words.add(pointer(4L * n));
      words.add(constant(0x28, 1000 + n));
      words.add(method(0x368, 0x1000));
    }
    words.add(fence("report"));
    channel.submit(words.stream().reduce(new int[0], Words::join));

    awaitFence();

    for (int n = 0; n < STORES; n++) {
      assertThat((int) INT.get(target.bytes(), 4L * n)).as("launch %d", n).isEqualTo(1000 + n);
    }
  }

  @Test
  void program_changedAfterAFence_isTheOneThatRuns() {
    int[] launch = join(pointer(0), join(constant(0x28, 5), method(0x368, 0x1000)));
    channel.submit(join(setUp(STORE, 1), join(launch, fence("report"))));
    awaitFence();
    assertThat((int) INT.get(target.bytes(), 0L)).isEqualTo(5);

    INT.setRelease(fence.bytes(), 0L, 0);
    code.bytes().setAtIndex(ValueLayout.JAVA_LONG, 2, 0x1800000024011de2L); // MOV32I R4, 9
    channel.submit(join(method(0x1698, 1), join(method(0x368, 0x1000), fence("report"))));
    awaitFence();

    assertThat((int) INT.get(target.bytes(), 0L)).isEqualTo(9);
  }
}
