package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.PeerCredentials;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;

/** The rate of the log's lines about CUDA programs. */
final class RelayLogTest {
  private static final PeerCredentials PEER = new PeerCredentials(7, 8, 9);

  private final Queue<SubstituteLoggingEvent> lines = new ArrayDeque<>();
  private final AtomicLong clock = new AtomicLong();
  private final RelayLog log =
      new RelayLog(new SubstituteLogger("relay", lines, false), "web-01", clock::get);

  @Test
  void lines_ofAllKindsTogether_areNoMoreThanTheRate() {
    for (int i = 0; i < 1000; i++) {
      log.refused(PEER, "call " + i);
      log.turnedAway(new RefusedException(RelayCode.CLOSED, Errno.ENODEV, "closed", ""));
      log.failed(PEER, new IllegalStateException());
    }
    assertThat(lines).hasSize(RelayLog.BURST);

    clock.addAndGet(RelayLog.INTERVAL.toNanos() - 1);
    log.refused(PEER, "too early");
    assertThat(lines).hasSize(RelayLog.BURST);

    clock.addAndGet(1);
    log.refused(PEER, "in time");
    log.refused(PEER, "and no more");
    assertThat(lines).hasSize(RelayLog.BURST + 1);
  }
}
