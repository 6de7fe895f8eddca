package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.daemon.sessions.GuestMoves.LocatedSession;
import io.sluice.remoting.control.SessionReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sessions that two hosts list at one time. */
final class LatestPlacesTest {
  private final LatestPlaces places = new LatestPlaces();

  @SuppressWarnings("NullAway") // of no host that runs
  private static LocatedSession located(long number, String host) {
    return new LocatedSession(
        new SessionReport(number, 1, 0, "opencl", "", Map.of(), 0, 0, 0, 0, Map.of()), host, null);
  }

  @Test
  void session_thatItsLastHostStillLists_isWhereItMoved() {
    LocatedSession old = located(1, "default");
    LocatedSession now = located(1, "other");
    LocatedSession beside = located(2, "default");
    places.moved(1, "other");

    assertThat(places.once(List.of(old, beside, now))).containsExactly(now, beside);
    assertThat(places.once(List.of(now, beside, old))).containsExactly(now, beside);

    places.moved(1, "default");

    assertThat(places.once(List.of(old, beside, now))).containsExactly(old, beside);
  }

  @Test
  void session_thatIsMoving_isWhereItWas() {
    LocatedSession old = located(1, "default");

    assertThat(places.once(List.of(old, located(1, "other")))).containsExactly(old);
  }

  @Test
  void isQuietSince_movesBegunOrUnderWay_isFalse() {
    long over = places.over();
    assertThat(places.isQuietSince(over)).isTrue();

    LatestPlaces.MoveInProgress way = places.begin();
    assertThat(places.isQuietSince(over)).isFalse();

    way.close();
    assertThat(places.isQuietSince(over)).as("one has begun since, and is over").isFalse();
    assertThat(places.isQuietSince(places.over())).isTrue();
  }

  @Test
  void isQuietSince_moveThatWasUnderWayAndIsOver_isFalse() {
    LatestPlaces.MoveInProgress way = places.begin();
    long over = places.over();

    way.close();

    assertThat(places.isQuietSince(over)).isFalse();
  }

  @Test
  void session_thatNobodyLists_isForgotten() {
    LocatedSession here = located(1, "default");
    places.moved(1, "other");

    assertThat(places.once(List.of())).isEmpty();
    assertThat(places.once(List.of(here, located(1, "other")))).containsExactly(here);
  }
}
