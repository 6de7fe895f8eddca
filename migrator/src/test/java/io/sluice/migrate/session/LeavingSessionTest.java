package io.sluice.migrate.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.abi.sys.Fd;
import io.sluice.migrate.phase.Tables;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.ApiSessions.Standing;
import io.sluice.vdevice.session.CarriedSession;
import io.sluice.vdevice.session.SessionMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The table of one session that leaves, and what its host is told. */
final class LeavingSessionTest {
  private final Noted host = new Noted();
  private final CompletableFuture<Standing> standing = new CompletableFuture<>();
  private final LeavingSession session = new LeavingSession(carried(host), standing);

  private static CarriedSession carried(ApiSessions.Opened opened) {
    return new CarriedSession(1, 1, ImmutableMap.of(), opened);
  }

  /** A session that notes what it is told. */
  private static final class Noted implements ApiSessions.Opened {
    final List<String> told = new ArrayList<>();
    final CompletableFuture<Void> prepared = new CompletableFuture<>();
    boolean gone;

    @Override
    public CompletableFuture<Standing> leave(Fd stream) {
      throw new AssertionError("it has been begun");
    }

    @Override
    public CompletableFuture<Void> tryOut(Fd stream) {
      throw new AssertionError("not asked of it");
    }

    @Override
    public CompletableFuture<?> endTrial() {
      throw new AssertionError("not asked of it");
    }

    @Override
    public CompletableFuture<?> approach() {
      told.add("approach");
      return prepared;
    }

    @Override
    public void halt() {
      told.add("halt");
    }

    @Override
    public void stay() {
      told.add("stay");
    }

    @Override
    public boolean goOn() {
      throw new AssertionError("not asked of it");
    }

    @Override
    public boolean isGone() {
      return gone;
    }

    @Override
    public void add(int index, SessionMemory memory) {
      throw new AssertionError("not asked of it");
    }

    @Override
    public boolean end() {
      throw new AssertionError("not asked of it");
    }

    @Override
    public void close() {}
  }

  @Test
  void stages_everyPair_areAsTheOracleSays() {
    Tables.requireEqual(
        LeavingSession.MoveStage.class,
        ImmutableSetMultimap.<String, String>builder()
            .putAll("BEGUN", "NEAR", "HALTED", "FAILED", "STAYING")
            .putAll("NEAR", "HALTED", "FAILED", "STAYING")
            .putAll("HALTED", "FAILED", "STAYING")
            .put("FAILED", "STAYING")
            .build());
  }

  @Test
  void isPrepared_whenItsHostSaysSo_orItDoesNotMove() {
    assertThat(session.isPrepared()).isFalse();
    session.approach();
    assertThat(session.isPrepared()).isFalse();
    assertThat(host.prepared.complete(null)).isTrue();
    assertThat(session.isPrepared()).isTrue();
    LeavingSession failed =
        new LeavingSession(
            carried(host), CompletableFuture.failedFuture(new IllegalStateException("full")));
    assertThat(failed.isPrepared()).isTrue();
  }

  @Test
  void host_ofOneThatHalts_isNotToldThatItIsNear() {
    session.halt();
    session.approach();
    assertThat(host.told).containsExactly("halt");
  }

  @Test
  void host_isToldEachThingOnce() {
    session.approach();
    session.approach();
    session.halt();
    session.halt();
    session.stay();
    session.stay();
    session.halt();
    assertThat(host.told).containsExactly("approach", "halt", "stay");
  }

  @Test
  void host_ofOneThatStays_isNotToldToHalt() {
    session.stay();
    session.halt();
    assertThat(host.told).containsExactly("stay");
  }

  @Test
  void failure_isKnownSomeTimeAfterItWasSeen() {
    assertThat(standing.completeExceptionally(new IllegalStateException("its host is full")))
        .isTrue();
    assertThat(session.failure(Long.MAX_VALUE)).as("nobody has looked").isEmpty();
    session.look(5);
    session.look(7); // it was seen
    assertThat(session.failure(5 + LeavingSession.ENDING_NS)).isEmpty();
    assertThat(session.failure(6 + LeavingSession.ENDING_NS)).contains("its host is full");
    session.halt();
    assertThat(host.told).isEmpty();
    session.stay();
    assertThat(host.told).containsExactly("stay");
    assertThat(session.failure(Long.MAX_VALUE)).as("it goes on").isEmpty();
  }

  @Test
  void failure_ofOneThatEnds_isNone() {
    assertThat(standing.completeExceptionally(new IllegalStateException("it ends"))).isTrue();
    session.look(5);
    host.gone = true;
    assertThat(session.failure(Long.MAX_VALUE)).isEmpty();
    assertThat(session.isGone()).isTrue();
  }

  @Test
  void failure_ofOneThatIsGoneAlready_isNotSeen() {
    host.gone = true;
    assertThat(standing.completeExceptionally(new IllegalStateException("it has ended"))).isTrue();
    session.look(5);
    session.halt();
    assertThat(host.told).as("it is not known to have failed").containsExactly("halt");
  }

  @Test
  void isStanding_done_andNotFailed() {
    assertThat(session.isStanding()).isFalse();
    assertThat(standing.complete(new Standing(1, 2, ImmutableList.of()))).isTrue();
    session.look(5);
    assertThat(session.isStanding()).isTrue();
    assertThat(session.failure(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void see_anotherSessionOfTheSameHandle_isNotThisOne() {
    assertThat(session.see(carried(new Noted()))).isFalse();
    assertThat(session.see(carried(host))).isTrue();
  }

  @Test
  void markTold_eachSegmentOnce_butTheFirst() {
    assertThat(session.markTold(0)).isFalse();
    assertThat(session.markTold(1)).isTrue();
    assertThat(session.markTold(1)).isFalse();
    assertThat(standing.completeExceptionally(new IllegalStateException("full"))).isTrue();
    assertThat(session.markTold(2)).isFalse();
  }
}
