package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSet;
import io.sluice.channel.Capability;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.RecordCodec.Layout;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.TargetPhase;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A destination that is asked before anything is begun. */
final class DestinationCheckTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int MAX_STEPS = 10_000;

  private long nowNs;
  private final LinkPair link = new LinkPair(() -> nowNs, 2);
  private final List<Reason> against = new ArrayList<>();
  private final List<MoveQuestion> heard = new ArrayList<>();
  private final MigrationTarget target =
      new MigrationTarget(link.target(), new Host(), 10 * SECOND, 0, (_, _) -> {});

  /** Which would not survive being asked for more than its opinion. */
  private final class Host implements TargetHost {
    @Override
    public List<Reason> objections(MoveQuestion question) {
      heard.add(question);
      return against;
    }

    @Override
    public TargetMachine admit(Offer offer) {
      throw new AssertionError("admitted");
    }

    @Override
    public Optional<MappedGuest> guest() {
      throw new AssertionError("a guest was made");
    }

    @Override
    public void commit(Offer offer) {
      throw new AssertionError("committed");
    }

    @Override
    public boolean isCommitted(UUID id) {
      throw new AssertionError("asked for a record");
    }

    @Override
    public void running(Offer offer) {
      throw new AssertionError("it runs");
    }

    @Override
    public void discard(Reason why) {}
  }

  private static MoveQuestion question(int oldest, int newest, ImmutableSet<Layout> layouts) {
    Offer offer =
        new Offer(
            newest, oldest, new UUID(0, 0), "g", 0xc0, 64, 32, 128, 1, ByteBuffer.allocate(0));
    return new MoveQuestion(offer, true, ImmutableSet.of("VRAM_APERTURE", "NEWER"), layouts);
  }

  private static MoveQuestion question() {
    return question(Offer.VERSION, Offer.VERSION, RecordCodec.written(true));
  }

  private DestinationCheck check(MoveQuestion question, boolean probing) {
    DestinationCheck check =
        new DestinationCheck(link.source(), question, probing, 5 * SECOND, nowNs);
    for (int i = 0; i < MAX_STEPS && !check.isOver(); i++) {
      nowNs += 1_000_000;
      int _ = check.doWork(nowNs);
      if (!target.phase().isOver()) {
        int _ = target.doWork(nowNs);
      }
    }
    assertThat(check.isOver()).isTrue();
    return check;
  }

  @Test
  void check_nothingAgainstIt_saysNothingAndTheDestinationWaitsOn() {
    DestinationCheck check = check(question(), false);
    assertThat(check.objections()).isEmpty();
    assertThat(check.measured()).isEmpty();
    assertThat(heard).containsExactly(question(), question());
    assertThat(target.phase()).isEqualTo(TargetPhase.WAITING);
  }

  @Test
  void check_hostObjects_isToldWithTheRemedies() {
    against.add(new Reason("SLU-TEST-001", "no room", "Make some."));
    against.add(new Reason("SLU-TEST-002", "no machine", ""));
    assertThat(check(question(), false).objections()).isEqualTo(against);
  }

  @Test
  void check_hostObjectsToEverything_theAnswerStaysAFrame() {
    for (int i = 0; i < 1000; i++) {
      against.add(new Reason("SLU-TEST-001", "x".repeat(100_000), "y".repeat(100_000)));
    }
    assertThat(check(question(), false).objections()).hasSizeBetween(1, 32);
  }

  @Test
  void check_versionsThatDoNotMeet_namesBoth() {
    int next = Offer.VERSION + 1;
    List<Reason> found =
        check(question(next, next + 1, RecordCodec.written(false)), false).objections();
    assertThat(found).extracting(Reason::code).containsExactly("SLU-MIG-031");
    assertThat(found.getFirst().what()).contains(next + " to " + (next + 1));
    assertThat(found.getFirst().remedy()).isNotEmpty();
  }

  @Test
  void check_recordsOfALaterVersion_areNamed() {
    Layout later = new Layout(6, 9);
    ImmutableSet<Layout> layouts =
        ImmutableSet.<Layout>builder().addAll(RecordCodec.written(true)).add(later).build();
    List<Reason> found = check(question(1, 1, layouts), false).objections();
    assertThat(found).extracting(Reason::code).containsExactly("SLU-MIG-062");
    assertThat(found.getFirst().what()).contains(later.toString()).doesNotContain("id=1,");
  }

  @Test
  void missing_capabilitiesOfTheOtherGpu_areThoseItLacks() {
    assertThat(question().missing(EnumSet.allOf(Capability.class))).containsExactly("NEWER");
    assertThat(question().missing(EnumSet.noneOf(Capability.class))).hasSize(2);
  }

  @Test
  void check_nobodyAnswers_endsAtItsTime() {
    DestinationCheck check =
        new DestinationCheck(link.source(), question(), true, 5 * SECOND, nowNs);
    for (; nowNs <= 5 * SECOND; nowNs += SECOND / 10) {
      int _ = check.doWork(nowNs);
      assertThat(check.isOver()).isFalse();
    }
    int _ = check.doWork(nowNs);
    assertThat(check.isOver()).isTrue();
    assertThat(check.objections()).extracting(Reason::code).containsExactly("SLU-MIG-025");
  }

  @Test
  void check_thisSideStoodStill_hearsWhatHasComeMeanwhile() {
    DestinationCheck check =
        new DestinationCheck(link.source(), question(), false, 5 * SECOND, nowNs);
    int _ = check.doWork(nowNs);
    int _ = target.doWork(nowNs);
    nowNs += 600 * SECOND;
    assertThat(check.doWork(nowNs)).isPositive();
    int _ = target.doWork(nowNs);
    nowNs += 600 * SECOND;
    int _ = check.doWork(nowNs);
    assertThat(check.isOver()).isTrue();
    assertThat(check.objections()).isEmpty();
  }

  @Test
  void check_linkThatEnds_saysWhy() {
    link.cut("by the test");
    assertThat(check(question(), true).objections())
        .singleElement()
        .extracting(Reason::what)
        .asString()
        .contains("by the test");
  }

  @Test
  void check_way_isMeasured() {
    link.setDelays(3_000_000, 0, 0);
    DestinationCheck.Measured way = check(question(), true).measured().orElseThrow();
    // There and back, seen at steps of a millisecond.
    assertThat(way.roundTripNs()).isBetween(6_000_000L, 9_000_000L);
    assertThat(way.bytesPerSecond()).isGreaterThan(8 << 20);
    assertThat(target.phase()).isEqualTo(TargetPhase.WAITING);
  }

  @Test
  void estimate_memoryAndWay_isBetweenComparingAndSendingAll() {
    DestinationCheck.Measured way = new DestinationCheck.Measured(1_000_000, 100_000_000);
    DowntimeEstimate none = DowntimeEstimate.of(0, way);
    assertThat(none.leastNs()).isEqualTo(none.mostNs()).isPositive();
    DowntimeEstimate some = DowntimeEstimate.of(100_000_000, way);
    assertThat(some.mostNs() - some.leastNs()).isEqualTo(SECOND);
    assertThat(some.leastNs()).isGreaterThan(none.leastNs());
    assertThat(DowntimeEstimate.of(1L << 40, new DestinationCheck.Measured(1, 0)).mostNs())
        .isPositive();
  }

  @Test
  void probes_beforeAQuestion_areNotTaken() {
    assertThat(link.source().send(1, probe())).isTrue();
    assertThat(target.doWork(nowNs)).isZero();
  }

  @Test
  void probes_withoutEnd_endTheMigration() {
    assertThat(link.source().send(MigrationLink.CONTROL, question().encode())).isTrue();
    for (int i = 0; i < 1000 && target.phase() == TargetPhase.WAITING; i++) {
      assertThat(link.source().send(1, probe())).isTrue();
      int _ = target.doWork(nowNs);
    }
    assertThat(target.phase()).isEqualTo(TargetPhase.DISCARDED);
  }

  @Test
  void pages_afterAQuestion_endTheMigration() {
    assertThat(link.source().send(MigrationLink.CONTROL, question().encode())).isTrue();
    assertThat(link.source().send(1, Frame.of(FrameType.PAGES, ByteBuffer.allocate(64)))).isTrue();
    int _ = target.doWork(nowNs);
    assertThat(target.phase()).isEqualTo(TargetPhase.DISCARDED);
  }

  /** Each cut shorter than it is: refused, and nobody was asked. */
  @Test
  void question_everyCut_isRefused() {
    Frame whole = question().encode();
    int bytes = whole.payload().remaining();
    for (int length = 0; length < bytes; length++) {
      Frame cut = Frame.of(FrameType.CHECK, whole.payload().slice(0, length));
      assertThatThrownBy(() -> MoveQuestion.decode(cut)).hasMessageContaining("SLU-MIG-012");
    }
    assertThat(MoveQuestion.decode(whole)).isEqualTo(question());
  }

  private static Frame probe() {
    return Frame.of(FrameType.PROBE, ByteBuffer.allocate(1 << 20));
  }

  @Test
  void answer_cutOrTooLong_isRefused() {
    Frame whole =
        new MoveAnswer(
                com.google.common.collect.ImmutableList.of(
                    new Reason("SLU-TEST-001", "no room", "Make some.")))
            .encode();
    for (int length = 0; length < whole.payload().remaining(); length++) {
      Frame cut = Frame.of(FrameType.CHECKED, whole.payload().slice(0, length));
      assertThatThrownBy(() -> MoveAnswer.decode(cut)).hasMessageContaining("SLU-MIG-012");
    }
    assertThat(Objects.requireNonNull(MoveAnswer.decode(whole).objections())).hasSize(1);
  }
}
