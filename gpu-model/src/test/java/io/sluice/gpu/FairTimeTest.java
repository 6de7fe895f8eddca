package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.abi.SyscallException;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The engine's time between opens. The clock moves a little at each look at it. */
@ExtendWith(Seeds.class)
final class FairTimeTest {
  private static final long LOOK_NS = 1_000_000;
  private static final int NOPS = 1000;
  private static final int ENTRIES = 510;

  private final RealKernel kernel = RealKernel.create();
  private final List<Client> clients = new ArrayList<>();
  private long nowNs = 1_000_000;
  private final SoftwareGpu gpu =
      new SoftwareGpu(
          kernel,
          new GpuConfig(32 << 20, 32 << 20, 100_000),
          () -> nowNs += LOOK_NS,
          new IdleStrategy() {
            @Override
            public void idle(long ns) {}

            @Override
            public void wake() {}
          });

  @AfterEach
  void close() {
    clients.forEach(Client::close);
    gpu.close();
  }

  private Client open(int weight) {
    Client client = new Client(kernel, gpu.open());
    clients.add(client);
    weigh(client, 0, weight);
    return client;
  }

  private static void weigh(Client client, int cid, long weight) {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_PARAM);
    ExtChanParam.CID.setBits(argument, cid);
    ExtChanParam.PARAM.setBits(argument, ExtChanParam.OPEN_WEIGHT);
    ExtChanParam.VALUE.set(argument, weight);
    client.call(PscnvIoctl.CHAN_PARAM, argument);
  }

  /** A ring full of entries that keep the engine busy without touching memory. */
  private static GuestChannel busy(Client client) {
    GuestChannel channel = client.channel(client.vspaceNew());
    refill(channel);
    return channel;
  }

  private static void refill(GuestChannel channel) {
    for (int i = 0; i < ENTRIES; i++) {
      channel.entry(channel.pushbuffer.va(), NOPS);
    }
    channel.kick();
  }

  private void cycles(int count) {
    for (int i = 0; i < count; i++) {
      nowNs += LOOK_NS;
      int _ = gpu.engine().doWork(nowNs);
    }
  }

  private static long gpuNs(Client client) {
    return ExtFileQuery.GPU_NS.get(query(client));
  }

  private static long waitNs(Client client) {
    return ExtFileQuery.WAIT_NS.get(query(client));
  }

  private static MemorySegment query(Client client) {
    return client.call(PscnvIoctl.FILE_QUERY, Client.block(ExtFileQuery.SIZE));
  }

  private static double share(Client one, Client other) {
    return (double) gpuNs(one) / (gpuNs(one) + gpuNs(other));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 1025", "0, -1", "1, 5", "0, 4294967297"})
  void openWeight_badValueOrChannel_isEinval(int cid, long weight) {
    Client client = open(1);
    assertThatThrownBy(() -> weigh(client, cid, weight))
        .isInstanceOfSatisfying(SyscallException.class, e -> assertThat(e.errno()).isEqualTo(22));
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1, 1, 0.5", "1, 3, 1, 1, 0.25", "1, 3, 4, 1, 0.25", "7, 1, 1, 3, 0.875"})
  void twoOpens_underLoad_getTimeByTheirWeightsNotTheirChannels(
      int weightA, int weightB, int channelsA, int channelsB, double expected) {
    Client a = open(weightA);
    Client b = open(weightB);
    List<GuestChannel> channels = new ArrayList<>();
    for (int i = 0; i < channelsA; i++) {
      channels.add(busy(a));
    }
    for (int i = 0; i < channelsB; i++) {
      channels.add(busy(b));
    }
    cycles(100); // a turn each, and no ring is empty after 125
    assertThat(share(a, b)).isCloseTo(expected, within(0.03));
    assertThat(channels).allSatisfy(channel -> assertThat(channel.gpGet()).isPositive());
  }

  @Test
  void oneOpen_alone_getsAllAndWaitsForNobody() {
    Client a = open(1);
    open(1024);
    busy(a);
    cycles(50);
    assertThat(gpuNs(a)).isPositive();
    assertThat(waitNs(a)).isZero();
  }

  @Test
  void openThatRested_savesNothingUp() {
    Client a = open(1);
    Client b = open(1);
    busy(b);
    cycles(50);
    long before = gpuNs(b);
    GuestChannel late = busy(a);
    cycles(60);
    assertThat((double) gpuNs(a) / (gpuNs(b) - before)).isCloseTo(1, within(0.2));
    assertThat(late.gpGet()).isPositive();
  }

  @Test
  void blockedAcquires_ofTheLeastServedOpen_doNotIdleTheEngine() {
    Client a = open(1024);
    GuestChannel blocked = a.channel(a.vspaceNew());
    Client.Memory memory = a.memory(blocked.vid, 2, 4096);
    blocked.submit(new int[] {0x20040004, 0, (int) memory.va(), 1, 1});
    Client b = open(1);
    GuestChannel running = busy(b);
    cycles(60);
    assertThat(running.gpGet()).isGreaterThan(10);
    // While the acquire is not yet known to block, they have waited for each other.
    assertThat(waitNs(a)).isLessThan(5 * LOOK_NS);
    assertThat(waitNs(b)).isLessThan(5 * LOOK_NS);
  }

  /**
   * Of the time that passes while a ring has entries, opens have had all but what looking takes.
   */
  @Test
  void engine_whileAnyOpenHasWork_isNeverIdle(RandomGenerator random) {
    List<Client> opens = List.of(open(1), open(3), open(1024));
    List<GuestChannel> channels = new ArrayList<>();
    for (Client client : opens) {
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        channels.add(client.channel(client.vspaceNew()));
      }
    }
    for (int i = 0; i < 3000; i++) {
      GuestChannel channel = channels.get(random.nextInt(channels.size()));
      if (random.nextInt(3) == 0 && (channel.put - channel.gpGet() & 511) < 500) {
        for (int n = random.nextInt(1, 4); n > 0; n--) {
          channel.entry(channel.pushbuffer.va(), NOPS);
        }
        channel.kick();
      }
      boolean wants = channels.stream().anyMatch(each -> each.gpGet() != each.put);
      nowNs += 10_000_000; // whoever has been idle for long is due
      int worked = gpu.engine().doWork(nowNs);
      assertThat(worked > 0).as("step %d", i).isEqualTo(wants);
    }
  }

  @Test
  void waitNs_isWhatTheOtherOneHad() {
    Client a = open(1);
    Client b = open(1);
    busy(a);
    busy(b);
    cycles(100);
    assertThat((double) waitNs(a) / gpuNs(b)).isCloseTo(1, within(0.1));
    assertThat((double) waitNs(b) / gpuNs(a)).isCloseTo(1, within(0.1));
  }
}
