package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.TargetPhase;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A destination before sources of other versions. */
final class OfferVersionTest {
  private final LinkPair link = new LinkPair(() -> 0, 1);
  private final List<Reason> discarded = new ArrayList<>();
  private final MigrationTarget target =
      new MigrationTarget(link.target(), new Host(), Long.MAX_VALUE / 2, 0, (_, _) -> {});

  private final class Host implements TargetHost {
    @Override
    public List<Reason> objections(MoveQuestion question) {
      return List.of();
    }

    @Override
    public TargetMachine admit(Offer offer) {
      throw new RefusedException("SLU-TEST-001", Errno.EBUSY, "admitted", "");
    }

    @Override
    public Optional<MappedGuest> guest() {
      return Optional.empty();
    }

    @Override
    public void commit(Offer offer) {}

    @Override
    public boolean isCommitted(UUID id) {
      return false;
    }

    @Override
    public void running(Offer offer) {}

    @Override
    public void discard(Reason why) {
      discarded.add(why);
    }
  }

  private Reason offered(int oldest, int newest) {
    Offer offer =
        new Offer(newest, oldest, new UUID(1, 2), "g", 0xc0, 1, 1, 0, 1, ByteBuffer.allocate(0));
    assertThat(link.source().send(MigrationLink.CONTROL, offer.encode())).isTrue();
    while (target.phase() != TargetPhase.DISCARDED) {
      assertThat(target.doWork(0)).isPositive();
    }
    Frame told = Objects.requireNonNull(link.source().poll(MigrationLink.CONTROL));
    assertThat(told.type()).isEqualTo(FrameType.ABORT);
    return Reason.decode(told);
  }

  @Test
  void offer_fromTwoVersionsLater_isRefusedAndTheSourceToldWhatBothSpeak() {
    Reason why = offered(Offer.VERSION + 1, Offer.VERSION + 2);
    assertThat(why.code()).isEqualTo("SLU-MIG-031");
    assertThat(why.what()).contains("2 to 3", "1 to 1");
    assertThat(why.remedy()).contains("Bring the older side");
    assertThat(discarded).hasSize(1);
  }

  @Test
  void offer_fromTheNextVersion_isTaken() {
    assertThat(offered(Offer.VERSION, Offer.VERSION + 1).what()).contains("admitted");
  }

  @Test
  void offer_fromThisVersion_isTaken() {
    assertThat(offered(Offer.VERSION, Offer.VERSION).what()).contains("admitted");
  }
}
