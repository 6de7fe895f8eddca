package io.sluice.channel.nvidia.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.nvidia.time.TimeLedger.Period;
import io.sluice.channel.nvidia.time.TimeLedger.TimeFinding;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TimeLedgerTest {
  private static final long MS = 1_000_000;

  private final TimeLedger ledger = new TimeLedger();
  private final TimeUse a = new TimeUse();
  private final TimeUse b = new TimeUse();

  private static TimeFinding copies(TimeUse use, double has) {
    return new TimeFinding(Optional.of(use), false, has, 1 - has);
  }

  private static TimeFinding computes(TimeUse use) {
    return new TimeFinding(Optional.of(use), true, 1, 0);
  }

  private static TimeFinding waits(TimeUse use) {
    return new TimeFinding(Optional.of(use), true, 0, 1);
  }

  @Test
  void note_nothingFound_chargesNobody() {
    ledger.note(10 * MS, List.of());
    ledger.note(20 * MS, List.of());
    assertThat(a.totals()).isEqualTo(TimeUsage.NONE);
    assertThat(ledger.hasClaims()).isFalse();
  }

  @Test
  void note_foundOnce_isChargedHalfOfTheTimeOnEitherSide() {
    ledger.note(100 * MS, List.of());
    ledger.note(110 * MS, List.of(copies(a, 1)));
    assertThat(a.totals()).isEqualTo(new TimeUsage(5 * MS, 0));
    ledger.note(140 * MS, List.of());
    assertThat(a.totals()).isEqualTo(new TimeUsage(20 * MS, 0));
    ledger.note(170 * MS, List.of());
    assertThat(a.totals()).isEqualTo(new TimeUsage(20 * MS, 0));
  }

  @Test
  void note_looksFarApart_chargesNoMoreThanTheLongest() {
    ledger.note(0, List.of(copies(a, 1)));
    ledger.note(10_000 * MS, List.of(copies(a, 1)));
    assertThat(a.totals().gpuNs()).isEqualTo(TimeLedger.LONGEST_NS);
  }

  @Test
  void note_clockThatGoesBack_chargesNothing() {
    ledger.note(100 * MS, List.of(copies(a, 1)));
    ledger.note(50 * MS, List.of(copies(a, 1)));
    assertThat(a.totals().gpuNs()).isEqualTo(100 * MS / 2);
  }

  @Test
  void note_sharedEngine_chargesPartsAndWaits() {
    ledger.note(0, List.of(copies(a, 0.25), copies(b, 0.75)));
    ledger.note(100 * MS, List.of(copies(a, 0.25), copies(b, 0.75)));
    assertThat(a.totals()).isEqualTo(new TimeUsage(25 * MS, 75 * MS));
    assertThat(b.totals()).isEqualTo(new TimeUsage(75 * MS, 25 * MS));
  }

  @Test
  void note_measuredEngine_chargesWaitsAtOnceAndTheRestWhenTheGpuTells() {
    ledger.note(1000 * MS, List.of(computes(a), waits(b)));
    ledger.note(1100 * MS, List.of(computes(a), waits(b)));
    assertThat(a.totals()).isEqualTo(TimeUsage.NONE.plus(new TimeUsage(0, 0)));
    assertThat(b.totals().waitNs()).isEqualTo(225 * MS); // the first look was 250 ms long
    ledger.settle(List.of(new Period(1000 * MS, 1200 * MS, 30 * MS)));
    assertThat(a.totals()).isEqualTo(new TimeUsage(30 * MS, 0));
    assertThat(b.totals().gpuNs()).isZero();
  }

  @Test
  void settle_severalClaims_dividesWhatWasBusyAmongThem() {
    ledger.note(1000 * MS, List.of());
    ledger.note(1010 * MS, List.of(computes(a)));
    ledger.note(1040 * MS, List.of(computes(b)));
    ledger.note(1050 * MS, List.of());
    ledger.settle(List.of(new Period(1000 * MS, 1200 * MS, 100 * MS)));
    assertThat(a.totals().gpuNs()).isEqualTo(50 * MS);
    assertThat(b.totals().gpuNs()).isEqualTo(50 * MS);
    assertThat(ledger.hasClaims()).isFalse();
  }

  @Test
  void settle_somebodyElse_takesItsPart() {
    ledger.note(1000 * MS, List.of());
    ledger.note(1010 * MS, List.of(computes(a)));
    ledger.note(1020 * MS, List.of(new TimeFinding(Optional.empty(), true, 1, 0)));
    ledger.note(1030 * MS, List.of());
    ledger.settle(List.of(new Period(1000 * MS, 1200 * MS, 100 * MS)));
    assertThat(a.totals().gpuNs()).isEqualTo(50 * MS);
  }

  @Test
  void settle_samePeriodTwice_chargesOnce() {
    Period period = new Period(1000 * MS, 1200 * MS, 40 * MS);
    ledger.note(1000 * MS, List.of());
    ledger.note(1010 * MS, List.of(computes(a)));
    ledger.settle(List.of(period));
    ledger.note(1300 * MS, List.of(computes(a)));
    ledger.settle(List.of(period));
    assertThat(a.totals().gpuNs()).isEqualTo(40 * MS);
    assertThat(ledger.hasClaims()).isTrue();
  }

  @Test
  void settle_periodBusierThanItIsLong_chargesItsLength() {
    ledger.note(1000 * MS, List.of());
    ledger.note(1010 * MS, List.of(computes(a)));
    ledger.settle(List.of(new Period(1000 * MS, 1200 * MS, 1e18)));
    assertThat(a.totals().gpuNs()).isEqualTo(200 * MS);
  }

  @Test
  void settle_busyPeriodWithoutClaims_chargesNobody() {
    ledger.settle(List.of(new Period(1000 * MS, 1200 * MS, 200 * MS)));
    assertThat(a.totals()).isEqualTo(TimeUsage.NONE);
  }

  @Test
  void settleUnmeasured_claims_areBelieved() {
    ledger.note(1000 * MS, List.of());
    ledger.note(1010 * MS, List.of(computes(a)));
    ledger.note(1020 * MS, List.of());
    ledger.settleUnmeasured();
    assertThat(a.totals().gpuNs()).isEqualTo(10 * MS);
    assertThat(ledger.hasClaims()).isFalse();
  }
}
