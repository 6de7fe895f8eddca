package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.link.MigrationLink;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a peer that says nothing is noticed, by a clock of the test's. */
final class SilenceTest {
  private static final long STEP_MS = 10;
  private static final long SECOND_MS = 1000;
  private static final long BETWEEN_WORDS_MS = 200;

  private final WireLink link =
      new WireLink(new UUID(1, 2), "the peer", 1, new FrameMemory(false), () -> {});
  private final WireStream stream = link.streams().get(MigrationLink.CONTROL);
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    channel.freezeTime();
    var _ =
        channel
            .pipeline()
            .addLast(
                new IdleStateHandler(WireLoops.LISTEN_MS, 0, 0, TimeUnit.MILLISECONDS),
                new StreamHandler(link, stream, _ -> {}));
    stream.attach(channel, 0);
  }

  @AfterEach
  void close() {
    link.close();
    channel.close();
  }

  private void pass(long ms) {
    for (long at = 0; at < ms; at += STEP_MS) {
      channel.advanceTimeBy(STEP_MS, TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
    }
  }

  private void word() {
    channel.writeInbound(WireMessages.ack(0));
  }

  @Test
  void silenceNs_peerThatSaysNothing_isMoreThanASourceBearsWithinASecond() {
    word();
    pass(SECOND_MS);
    assertThat(link.silenceNs()).isGreaterThan(MigrationSettings.DEFAULT.silence().toNanos());
  }

  @Test
  void silenceNs_peerThatSpeaksAsOftenAsItShould_isNeverNearThat() {
    for (int i = 0; i < 20; i++) {
      word();
      pass(BETWEEN_WORDS_MS);
      assertThat(link.silenceNs()).isLessThan(MigrationSettings.DEFAULT.silence().toNanos() / 2);
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
    pass(WireLoops.LISTEN_MS * (WireLoops.CUT_AFTER + 1L));
    assertThat(channel.isOpen()).isFalse();
  }
}
