package io.sluice.daemon.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.channel.state.ChannelState;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.testbed.checks.StandIn;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A suspension by an operator, on a GPU whose channels do not always go on. */
final class GuestSuspensionTest {
  private static final long VRAM_BYTES = 1L << 20;
  private static final Set<Class<?>> WATCHED =
      Set.of(GuestGpu.class, AddressSpace.class, Channel.class);
  private static final GpuVa LOW = new GpuVa(0x2000_0000L);
  private static final GpuVa HIGH = new GpuVa(1L << 40);

  private final Kernel kernel = RealKernel.create();
  private final SoftwareGpu model =
      new SoftwareGpu(
          kernel,
          new GpuConfig(VRAM_BYTES, VRAM_BYTES, 100_000),
          System::nanoTime,
          IdleStrategy.none());
  private final PscnvGpu gpu = new PscnvGpu("suspended", kernel, model::open);
  private final Guest guest =
      new Guest("web", failing(gpu, Gpu.class), kernel, GuestListener.none());
  private final List<Integer> channels = List.of(channel(), channel());
  private final GuestSuspension suspension = new GuestSuspension();

  /** So often a channel that is to go on fails. */
  private int fails;

  @AfterEach
  void close() {
    guest.close();
    gpu.close();
    model.close();
  }

  /** The same, whose channels' {@code resume} may fail. */
  private <T> T failing(Object real, Class<T> kind) {
    return StandIn.of(
        kind,
        kind.cast(real),
        call -> {
          if (kind == Channel.class && call.is("resume") && fails > 0) {
            fails--;
            throw new OutOfMemoryError("by the test");
          }
          Object result = call.pass();
          return result != null && WATCHED.contains(call.returns())
              ? failing(result, call.returns())
              : result;
        });
  }

  private int channel() {
    int vid = guest.spaces().create();
    MemoryGrant ring = guest.buffers().allocate(2, 0, 0, 4096);
    int cid = guest.channels().create(vid);
    guest.channels().start(cid, guest.spaces().map(vid, ring.handle(), LOW, HIGH, false), 5, 1);
    return cid;
  }

  private List<ChannelState> states() {
    return channels.stream().map(cid -> guest.channels().query(cid).state()).toList();
  }

  @Test
  void end_channelsDoNotGoOn_theOperatorIsToldAndMayTryAgain() {
    suspension.begin(guest);
    fails = Integer.MAX_VALUE;
    assertThatThrownBy(() -> suspension.end(guest))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-GUEST-012");
    assertThat(suspension.isSuspended()).isTrue();
    fails = 0;
    suspension.end(guest);
    assertThat(suspension.isSuspended()).isFalse();
    assertThat(states()).containsOnly(ChannelState.RUNNING);
  }

  @Test
  void end_oneFailsForAMoment_allGoOn() {
    suspension.begin(guest);
    assertThat(states()).containsOnly(ChannelState.SUSPENDED);
    fails = 2;
    suspension.end(guest);
    assertThat(fails).isZero();
    assertThat(states()).containsOnly(ChannelState.RUNNING);
  }

  @Test
  void end_channelWasFreedMeanwhile_othersGoOn() {
    suspension.begin(guest);
    guest.channels().free(channels.getFirst());
    suspension.end(guest);
    assertThat(suspension.isSuspended()).isFalse();
    assertThat(guest.channels().query(channels.getLast()).state()).isEqualTo(ChannelState.RUNNING);
  }
}
