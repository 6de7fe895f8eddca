package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.sluice.management.GuestStatus;
import io.sluice.management.QuotaStatus;
import io.sluice.management.SessionStatus;
import io.sluice.sluicectl.TopRow.Look;
import io.sluice.sluicectl.TopRow.SessionUse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TopRowTest {
  private static final long S = 1_000_000_000;

  private static Look look(long atNs, QuotaStatus... quotas) {
    return look(atNs, List.of(), quotas);
  }

  private static Look look(long atNs, List<SessionStatus> sessions, QuotaStatus... quotas) {
    Map<String, GuestStatus> guests = new TreeMap<>();
    Map<String, QuotaStatus> byName = new TreeMap<>();
    for (QuotaStatus quota : quotas) {
      byName.put(quota.guest(), quota);
      guests.put(
          quota.guest(),
          new GuestStatus(
              quota.guest(), "", GuestStatus.RUNNING, "g", "", "", "", 1, 1, "", 0, 0, 0, 0));
    }
    return new Look(guests, byName, sessions, atNs);
  }

  private static QuotaStatus quota(String guest, long gpuNs, long waitNs) {
    return new QuotaStatus(
        guest, "g", 0, 1, 0, "", 0, false, true, 0, 0, 0, 0, 0, 0, 0, 0, gpuNs, waitNs);
  }

  private static SessionStatus session(String guest, long number, long memory, long deviceMs) {
    return new SessionStatus(
        guest, number, 1, 1, "", "opencl", "", "default", Map.of(), memory, 0, deviceMs, 0,
        Map.of());
  }

  @Test
  void between_twoLooks_dividesByTheTimeBetween() {
    List<TopRow> rows =
        TopRow.between(
            look(5 * S, quota("a", 7 * S, 0), quota("b", 0, 9 * S)),
            look(7 * S, quota("a", 7 * S + S / 2, 0), quota("b", 3 * S / 2, 9 * S + 3)));

    assertThat(rows)
        .extracting(r -> r.guest().name(), TopRow::gpuPercent, TopRow::waitPercent)
        .containsExactly(tuple("b", 75.0, 0.0), tuple("a", 25.0, 0.0));
  }

  @Test
  void between_guestThatIsNewGoneOrMadeAnew_isNothingOrLeftOut() {
    Look after = look(S, quota("new", 5, 5), quota("anew", 0, 0));
    after.quotas().remove("gone");
    List<TopRow> rows = TopRow.between(look(0, quota("anew", S, S), quota("gone", 1, 1)), after);

    assertThat(rows)
        .extracting(r -> r.guest().name(), TopRow::gpuPercent, TopRow::waitPercent)
        .containsExactly(tuple("anew", 0.0, 0.0), tuple("new", 0.0, 0.0));
  }

  @Test
  void between_looksAtOneMoment_isNothing() {
    assertThat(TopRow.between(look(S, quota("a", 0, 0)), look(S, quota("a", 9, 0))))
        .extracting(TopRow::gpuPercent)
        .containsExactly(0.0);
  }

  @Test
  void between_sessions_areAddedUpByTheirGuest() {
    List<TopRow> rows =
        TopRow.between(
            look(
                S,
                List.of(session("a", 1, 5, 700), session("a", 2, 5, 100), session("b", 1, 5, 0)),
                quota("a", 0, 0),
                quota("b", 0, 0)),
            look(
                3 * S,
                List.of(session("a", 1, 6, 900), session("a", 2, 7, 400), session("b", 1, 8, 1000)),
                quota("a", 0, 0),
                quota("b", 0, 0)));

    assertThat(rows)
        .extracting(r -> r.guest().name(), TopRow::sessions)
        .containsExactly(
            tuple("b", new SessionUse(1, 8, 50)), tuple("a", new SessionUse(2, 13, 25)));
  }

  @Test
  void between_sessionThatIsNewOrCameFromElsewhere_countsFromNothing() {
    List<TopRow> rows =
        TopRow.between(
            look(
                0,
                List.of(session("moved", 1, 0, 9000), session("gone", 1, 0, 50)),
                quota("gone", 0, 0),
                quota("moved", 0, 0),
                quota("new", 0, 0)),
            look(
                S,
                List.of(session("moved", 1, 0, 300), session("new", 1, 0, 200)),
                quota("gone", 0, 0),
                quota("moved", 0, 0),
                quota("new", 0, 0)));

    assertThat(rows)
        .extracting(r -> r.guest().name(), r -> r.sessions().devicePercent())
        .containsExactly(tuple("moved", 30.0), tuple("new", 20.0), tuple("gone", 0.0));
  }

  @Test
  void between_guestOfAnotherHost_hasARowWhileItHasSessions() {
    Look before = look(0, List.of(session("beta:a", 7, 5, 100)), quota("a", 0, 0));
    Look after = look(S, List.of(session("beta:a", 7, 5, 600)), quota("a", 0, 0));

    assertThat(TopRow.between(before, after))
        .extracting(r -> r.guest().name(), TopRow::sessions)
        .containsExactly(
            tuple("beta:a", new SessionUse(1, 5, 50)), tuple("a", new SessionUse(0, 0, 0)));
    assertThat(TopRow.between(after, look(2 * S, quota("a", 0, 0))))
        .extracting(r -> r.guest().name())
        .containsExactly("a");
  }

  @Test
  void between_sessionOfAGuestThatIsGone_isLeftOut() {
    assertThat(TopRow.between(look(0), look(S, List.of(session("gone", 1, 5, 5))))).isEmpty();
  }
}
