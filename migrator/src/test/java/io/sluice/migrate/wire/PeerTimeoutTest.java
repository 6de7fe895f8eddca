package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a peer that says nothing is noticed, by a clock of the test's. */
final class PeerTimeoutTest {
  private static final long STEP_MS = 5;
  private static final long SECOND_MS = 1000;
  private static final long BETWEEN_WORDS_MS = 200;
  private static final long BEARABLE_NS = MigrationSettings.DEFAULT.peer().host().toNanos();
  private static final long LATE_NS = 100_000_000;

  private final EmbeddedChannel channel = frozen();
  private final WireLink link =
      new WireLink(
          new UUID(1, 2), "the peer", 1, new FrameMemory(false, 2), nowNs(channel), () -> {});
  private final WireStream stream = link.streams().get(MigrationLink.CONTROL);

  @BeforeEach
  void connect() {
    connect(channel);
  }

  @AfterEach
  void close() {
    link.close();
    channel.close();
  }

  private static EmbeddedChannel frozen() {
    EmbeddedChannel made = new EmbeddedChannel();
    made.freezeTime();
    return made;
  }

  private static long nowNs(EmbeddedChannel of) {
    return of.eventLoop().ticker().nanoTime();
  }

  private void connect(EmbeddedChannel connection) {
    var _ = connection.pipeline().addLast(new StreamHandler(link, stream, _ -> {}));
    stream.attach(connection, 0);
  }

  private void pass(long ms) {
    for (long at = 0; at < ms; at += STEP_MS) {
      channel.advanceTimeBy(STEP_MS, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }
  }

  /** Steps until the silence is more than a source bears; how long that was. */
  private long noticedAfterNs() {
    long since = nowNs(channel);
    while (link.silenceNs() <= BEARABLE_NS) {
      pass(STEP_MS);
      assertThat(nowNs(channel) - since).isLessThan(BEARABLE_NS + LATE_NS);
    }
    return nowNs(channel) - since;
  }

  private void word() {
    channel.writeInbound(WireMessages.ack(0));
  }

  /** At whatever moment between two looks the last word comes. */
  @Test
  void silenceNs_peerThatSaysNothing_isKnownWithinATenthOfASecondOfTooLong() {
    for (long phaseMs = 0; phaseMs < 2 * WireLoops.LOOK_MS; phaseMs += STEP_MS) {
      pass(phaseMs);
      word();
      assertThat(noticedAfterNs()).isGreaterThan(BEARABLE_NS);
    }
  }

  @Test
  void silenceNs_afterTheConnectionHasEnded_countsOnFromTheLastWord() {
    word();
    pass(SECOND_MS / 2);
    assertThat(stream.detach(channel)).isTrue();
    pass(SECOND_MS / 2);
    assertThat(link.silenceNs()).isGreaterThan(BEARABLE_NS);
  }

  @Test
  void silenceNs_newConnection_isNothingAndTheFormerIsHeardNoMore() {
    pass(SECOND_MS);
    EmbeddedChannel next = frozen();
    next.advanceTimeBy(nowNs(channel) - nowNs(next), TimeUnit.NANOSECONDS);
    connect(next);
    for (int i = 0; i < 2; i++) {
      next.advanceTimeBy(WireLoops.LOOK_MS, TimeUnit.MILLISECONDS);
      next.runScheduledPendingTasks();
    }
    pass(SECOND_MS);
    assertThat(link.silenceNs()).isLessThan(LATE_NS);
    next.close();
  }

  /** It is stopped for longer than a source bears, and finds the peer's words when it goes on. */
  @Test
  void silenceNs_thisSideStoodStill_isNothing() {
    word();
    pass(SECOND_MS / 2);
    channel.advanceTimeBy(12 * SECOND_MS, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(link.silenceNs()).isLessThan(BEARABLE_NS);
    word();
    pass(BETWEEN_WORDS_MS);
    assertThat(link.silenceNs()).isLessThan(BEARABLE_NS);
    assertThat(channel.isOpen()).isTrue();
  }

  private void stopListening() {
    while (!stream.isPaused()) {
      channel.writeInbound(
          new WireSection(FrameType.STATE.number(), 1, ByteBuffer.allocate(1 << 20)));
    }
  }

  @Test
  void silenceNs_thisSideDoesNotListen_isNothing() {
    stopListening();
    pass(SECOND_MS);
    assertThat(link.silenceNs()).isZero();
  }

  /** Nothing can come any more, whether somebody listens or not. */
  @Test
  void silenceNs_connectionEndsWhileThisSideDoesNotListen_counts() {
    stopListening();
    pass(SECOND_MS);
    assertThat(stream.detach(channel)).isTrue();
    assertThat(noticedAfterNs()).isGreaterThan(BEARABLE_NS);
  }

  @Test
  void silenceNs_peerThatSpeaksAsOftenAsItShould_isNeverNearThat() {
    for (int i = 0; i < 20; i++) {
      word();
      pass(BETWEEN_WORDS_MS);
      assertThat(link.silenceNs()).isLessThan(BEARABLE_NS / 2);
    }
  }

  @Test
  void silenceNs_peerThatSpeaksAgain_isNothing() {
    pass(SECOND_MS);
    word();
    assertThat(link.silenceNs()).isZero();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void connection_peerThatStaysSilent_isClosed() {
    pass(TimeUnit.NANOSECONDS.toMillis(WireLoops.CUT_AFTER_NS + LATE_NS));
    assertThat(channel.isOpen()).isFalse();
  }
}
