package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.abi.sys.RealKernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SeatTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private final Kernel kernel = RealKernel.create();
  private final Fd socket = kernel.eventfd(0, 0);
  private final Seat seat = new Seat("guest");
  private final Seat.Occupant client = Seat.Occupant.running(socket, new PeerCredentials(1, 2, 3));

  @AfterEach
  void close() {
    socket.close();
  }

  @Test
  void expel_nobodyThere_touchesNothing() {
    seat.expel(_ -> {
      throw new AssertionError("whose socket?");
    });
  }

  @Test
  void left_socketIsClosedAndNobodyIsExpelledAnyMore() {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    seat.left(client);
    assertThat(socket.isOpen()).isFalse();
    seat.expel(_ -> {
      throw new AssertionError("it has left");
    });
  }

  @Test
  void withdrawn_socketStaysItsOwners() {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    seat.withdrawn(client);
    assertThat(socket.isOpen()).isTrue();
    assertThat(seat.peer()).isEmpty();
  }

  @Test
  void vacate_clientThatStays_givesUp() {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    assertThat(seat.vacate(_ -> {}, Duration.ZERO)).isFalse();
    assertThat(seat.peer()).isPresent();
  }

  /** It ended by itself just then: its descriptor was closed, or already somebody else's. */
  @Test
  void vacate_clientLeavesMeanwhile_itsSocketIsOpenUntilItWasShutDown() throws Exception {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    Thread serving = new Thread(() -> seat.left(client));
    List<Boolean> open = new ArrayList<>();
    boolean left =
        seat.vacate(
            shutDown -> {
              serving.start();
              await().atMost(PATIENCE).until(() -> serving.getState() == Thread.State.WAITING);
              open.add(shutDown.isOpen());
            },
            PATIENCE);
    assertThat(left).isTrue();
    serving.join();
    assertThat(open).containsExactly(true);
    assertThat(socket.isOpen()).isFalse();
  }

  private boolean takes(boolean hungUp) {
    Seat.Occupant newcomer = Seat.Occupant.running(socket, new PeerCredentials(4, 5, 6));
    return seat.take(newcomer, Duration.ZERO, Duration.ofMinutes(5), _ -> hungUp);
  }

  @Test
  void take_fromOneThatStays_isRefusedAtOnce() {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    assertThat(takes(false)).isFalse();
  }

  /** On a busy host the thread that serves it may come to that much later. */
  @Test
  void take_fromOneThatHasHungUp_waitsUntilItHasLeft() throws Exception {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    waitsUntilLeft(true);
  }

  @Test
  void take_fromOneWhoseSessionEnds_waitsUntilItHasLeft() throws Exception {
    assertThat(seat.take(client, Duration.ZERO)).isTrue();
    seat.ending(client, () -> {});
    waitsUntilLeft(false);
  }

  private void waitsUntilLeft(boolean hungUp) throws Exception {
    CompletableFuture<Boolean> newcomer = new CompletableFuture<>();
    Thread waiting = new Thread(() -> newcomer.complete(takes(hungUp)));
    waiting.start();
    await()
        .atMost(PATIENCE)
        .until(() -> waiting.getState() == Thread.State.TIMED_WAITING || newcomer.isDone());
    assertThat(newcomer).isNotDone();
    seat.left(client);
    assertThat(newcomer.join()).isTrue();
    waiting.join();
  }
}
