package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.Inquiry.Verdict;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.TargetPhase;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A destination that is asked whose a guest is, by a daemon that has not offered it. */
final class InquiryTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int MAX_STEPS = 1000;
  private static final UUID ID = new UUID(1, 2);

  private long nowNs;
  private final LinkPair link = new LinkPair(() -> nowNs, 1);
  private @Nullable UUID committed;
  private @Nullable UUID asked;
  private final MigrationTarget target =
      new MigrationTarget(link.target(), new Host(), 10 * SECOND, 0, (_, _) -> {});
  private final Inquiry inquiry = new Inquiry(link.source(), ID, 5 * SECOND, 0);

  private final class Host implements TargetHost {
    @Override
    public List<Reason> objections(MoveQuestion question) {
      throw new AssertionError("asked for its opinion");
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
      asked = id;
      return id.equals(committed);
    }

    @Override
    public void running(Offer offer) {
      throw new AssertionError("runs");
    }

    @Override
    public void discard(Reason why) {}
  }

  private void run() {
    for (int step = 0; !inquiry.isOver() && step < MAX_STEPS; step++) {
      nowNs += SECOND / 100;
      int _ = inquiry.doWork(nowNs);
      int _ = target.doWork(nowNs);
    }
    assertThat(inquiry.isOver()).isTrue();
  }

  private Reason failure() {
    assertThat(inquiry.answer()).isEmpty();
    return inquiry.failure().orElseThrow();
  }

  @Test
  void doWork_noRecord_isTheSources() {
    committed = new UUID(3, 4);
    run();
    assertThat(inquiry.answer()).contains(Verdict.SOURCE);
    assertThat(asked).isEqualTo(ID);
    assertThat(target.phase()).isEqualTo(TargetPhase.WAITING);
  }

  @Test
  void doWork_record_isTheDestinations() {
    committed = ID;
    run();
    assertThat(inquiry.answer()).contains(Verdict.DESTINATION);
  }

  @Test
  void doWork_destinationSilent_isNoAnswer() {
    link.stall();
    run();
    assertThat(failure().code()).isEqualTo("SLU-MIG-025");
    assertThat(inquiry.doWork(nowNs)).isZero();
  }

  /** Stopped as a process is, or without a processor: that is no silence of the destination's. */
  @Test
  void doWork_thisSideStoodStill_hearsTheAnswer() {
    committed = ID;
    int _ = inquiry.doWork(nowNs);
    nowNs += 600 * SECOND;
    int _ = inquiry.doWork(nowNs);
    assertThat(inquiry.isOver()).isFalse();
    run();
    assertThat(inquiry.answer()).contains(Verdict.DESTINATION);
  }

  @Test
  void doWork_linkCut_isNoAnswer() {
    int _ = inquiry.doWork(nowNs);
    link.cut("no route to host");
    run();
    assertThat(failure().what()).contains("no route to host");
  }

  @Test
  void doWork_destinationSaysSomethingElse_isNoAnswer() {
    boolean sent = link.target().send(MigrationLink.CONTROL, Frame.of(FrameType.READY));
    assertThat(sent).isTrue();
    nowNs += SECOND;
    int _ = inquiry.doWork(nowNs);
    int _ = inquiry.doWork(nowNs);
    assertThat(failure().what()).contains("is odd");
  }
}
