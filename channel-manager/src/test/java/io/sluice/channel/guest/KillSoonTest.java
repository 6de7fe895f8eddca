package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.checks.StandIn;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The end of a channel of which nothing is known without a look, as a guest can have it. */
final class KillSoonTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /** Its status is that of a channel that has just been given more. */
  private static Channel hidden(Channel channel) {
    return StandIn.of(
        Channel.class,
        channel,
        call -> {
          Channel.Status known = channel.status();
          return call.is("status")
              ? new Channel.Status(
                  known.state(),
                  known.cause(),
                  new Channel.Status.Progress(0, 1, false, false, 0),
                  Channel.Status.Usage.NONE)
              : call.pass();
        });
  }

  private static <T> T hiding(Class<T> type, @Nullable Object real) {
    return StandIn.of(
        type,
        type.cast(Objects.requireNonNull(real)),
        call -> {
          Object result = call.pass();
          return switch (result) {
            case Channel channel -> hidden(channel);
            case AddressSpace space -> hiding(AddressSpace.class, space);
            case null, default -> result;
          };
        });
  }

  @Test
  void killSoon_channelThatHidesItsWork_isEndedAsTheLookFindsIt() throws Exception {
    try (GpuRig rig = new GpuRig()) {
      Gpu gpu =
          StandIn.of(
              Gpu.class,
              rig.gpu,
              call -> call.is("open") ? hiding(GuestGpu.class, call.pass()) : call.pass());
      try (Guest guest = new Guest("hides", gpu, rig.kernel, new GpuRig.HeardEvents())) {
        Worker worker = new Worker(rig, guest, guest.spaces().create()).start();
        long va = worker.spareVa().value();
        worker.submit(Worker.SEMAPHORE, (int) (va >>> 32), (int) va, 1, Worker.ACQUIRE);
        rig.run();
        assertThat(guest.channels().lookSoon(SOON).orElseThrow().values())
            .allMatch(found -> found.progress().waiting());
        assertThat(guest.channels().query(worker.cid).progress().waiting()).isFalse();

        AtomicInteger counted = new AtomicInteger();
        guest
            .channels()
            .killSoon(
                SOON,
                worker.cid,
                GuestAbi.ERROR_TIMEOUT,
                7,
                now -> now.progress().waiting(),
                counted::incrementAndGet);

        assertThat(counted).hasValue(1);
        assertThat(worker.state()).isEqualTo(ChannelState.DEAD);
      }
    }
  }
}
