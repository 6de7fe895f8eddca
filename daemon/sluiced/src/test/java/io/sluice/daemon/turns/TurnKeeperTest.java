package io.sluice.daemon.turns;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.remoting.control.TurnPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The keeper of turns with hosts that name too much. */
final class TurnKeeperTest {
  private static final List<String> GPU = List.of("gpu");

  private final Kernel kernel = RealKernel.create();
  private final List<String> ended = new CopyOnWriteArrayList<>();
  private final List<TurnSeat> seats = new ArrayList<>();
  private final TurnKeeper keeper =
      new TurnKeeper(kernel, Thread.ofPlatform().factory(), System::nanoTime, _ -> quota());

  private static Quota quota() {
    return new Quota(0, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2));
  }

  @AfterEach
  void close() throws InterruptedException {
    seats.forEach(keeper::leave);
    keeper.close();
  }

  private TurnSeat join(String guest) {
    TurnSeat seat = new TurnSeat(kernel, guest, () -> 0, why -> ended.add(guest + ": " + why));
    seats.add(seat);
    return seat;
  }

  private TurnSeat join(String guest, List<String> devices) {
    TurnSeat seat = join(guest);
    keeper.name(seat, devices);
    return seat;
  }

  private static List<String> names(String of, int count) {
    return IntStream.range(0, count).mapToObj(i -> of + i).toList();
  }

  @Test
  void name_again_endsTheHost() {
    TurnSeat seat = join("a", GPU);

    keeper.name(seat, List.of("other"));

    assertThat(ended).singleElement().asString().contains("twice");
  }

  @Test
  void name_moreThanAGuestMay_endsItsHostAndNobodyElses() {
    join("a", names("x", TurnKeeper.MOST_NAMES));
    join("a", names("x", TurnKeeper.MOST_NAMES)); // the same
    join("b", names("y", TurnKeeper.MOST_NAMES));
    assertThat(ended).isEmpty();

    join("a", GPU);

    assertThat(ended).singleElement().asString().startsWith("a: ").contains("more devices");
  }

  @Test
  void name_moreThanThePageHas_endsTheHost() {
    join("a", java.util.Collections.nCopies(TurnPage.MOST_DEVICES + 1, "gpu"));

    assertThat(ended).hasSize(1);
  }
}
