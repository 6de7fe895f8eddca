package io.sluice.migrate.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PeerTalkTest {
  private static final long T = 7_000_000_000L;

  private final LinkPair pair = new LinkPair(() -> T, 1);
  private final PeerTalk talk = new PeerTalk(pair.source(), T);
  private final MigrationLink peer = pair.target();

  private int heard() {
    int heard = 0;
    for (Frame frame = peer.poll(MigrationLink.CONTROL);
        frame != null;
        frame = peer.poll(MigrationLink.CONTROL)) {
      assertThat(frame.type()).isEqualTo(FrameType.HEARTBEAT);
      heard++;
    }
    return heard;
  }

  @Test
  void sendHeartbeat_saidSomethingLately_saysNothing() {
    talk.sendHeartbeat(T + PeerTalk.HEARTBEAT_NS);
    assertThat(heard()).isZero();
    talk.send(Frame.of(FrameType.HEARTBEAT), T + PeerTalk.HEARTBEAT_NS);
    talk.sendHeartbeat(T + 2 * PeerTalk.HEARTBEAT_NS);
    assertThat(heard()).isEqualTo(1);
  }

  @Test
  void sendHeartbeat_saidNothingForLong_saysSoOnce() {
    talk.sendHeartbeat(T + PeerTalk.HEARTBEAT_NS + 1);
    talk.sendHeartbeat(T + PeerTalk.HEARTBEAT_NS + 2);
    assertThat(heard()).isEqualTo(1);
  }

  @Test
  void poll_nothingCame_peerStaysSilent() {
    assertThat(talk.poll(T + 5)).isNull();
    assertThat(talk.sinceHeardNs(T + 5)).isEqualTo(5);
    assertThat(talk.lookForSilence(T + 5)).isEqualTo(5);
  }

  @Test
  void poll_somethingCame_peerWasHeard() {
    peer.send(MigrationLink.CONTROL, Frame.of(FrameType.COMMITTED));
    Frame frame = talk.poll(T + 5);
    assertThat(frame).isNotNull().extracting(Frame::type).isEqualTo(FrameType.COMMITTED);
    assertThat(talk.sinceHeardNs(T + 7)).isEqualTo(2);
    assertThat(talk.lookForSilence(T + 7)).isEqualTo(7);
  }
}
