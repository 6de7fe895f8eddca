package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.link.MigrationLink;
import org.junit.jupiter.api.Test;

final class PeerFailureTest {
  private static final Reason FIRST = new Reason("SLU-MIG-023", "the way was cut", "");
  private static final Reason THEIRS = new Reason("SLU-MIG-034", "too small", "Choose another.");

  private final LinkPair pair = new LinkPair(() -> 0, 1);
  private final PeerFailure word = new PeerFailure(pair.source(), 0);

  private void say(Frame frame) {
    assertThat(pair.target().send(MigrationLink.CONTROL, frame)).isTrue();
  }

  @Test
  void listen_nothingIsSaid_waitsForItsTimeAndLeavesTheReason() {
    assertThat(word.listen(PeerFailure.LONGEST_NS - 1)).isFalse();
    assertThat(word.listen(PeerFailure.LONGEST_NS)).isTrue();
    assertThat(word.after(FIRST)).isSameAs(FIRST);
  }

  @Test
  void listen_otherThings_waits() {
    say(Frame.of(FrameType.HEARTBEAT));
    say(Frame.of(FrameType.READY));
    assertThat(word.listen(1)).isFalse();
  }

  @Test
  void listen_reasonBehindOtherThings_isAppended() {
    say(Frame.of(FrameType.HEARTBEAT));
    say(THEIRS.encode());
    assertThat(word.listen(1)).isTrue();
    assertThat(word.after(FIRST))
        .isEqualTo(
            new Reason(
                "SLU-MIG-023",
                "the way was cut; the destination says: too small",
                "Choose another."));
  }

  @Test
  void listen_linkHasEndedToo_leavesTheReason() {
    pair.cut("by the test");
    assertThat(word.listen(1)).isTrue();
    assertThat(word.after(FIRST)).isSameAs(FIRST);
  }

  @Test
  void listen_flood_isLookedAtInParts() {
    for (int i = 0; i < 1000; i++) {
      say(Frame.of(FrameType.HEARTBEAT));
    }
    say(THEIRS.encode());
    assertThat(word.listen(1)).isFalse();
    assertThat(word.listen(PeerFailure.LONGEST_NS)).isTrue();
  }
}
