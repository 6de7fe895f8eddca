package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;

final class RefusalLogTest {
  private static final SocketAddress PEER = InetSocketAddress.createUnresolved("peer", 1);

  private final Queue<SubstituteLoggingEvent> lines = new ArrayDeque<>();
  private final AtomicLong clock = new AtomicLong();
  private final RefusalLog log =
      new RefusalLog(new SubstituteLogger("wire", lines, false), clock::get);

  @Test
  void refused_moreThanTheRate_isLeftOutAndCounted() {
    for (int i = 0; i < 1000; i++) {
      log.refused(PEER, "no certificate");
    }
    assertThat(lines).hasSize(RefusalLog.BURST);

    lines.clear();
    clock.addAndGet(RefusalLog.INTERVAL.toNanos());
    log.refused(PEER, "no certificate");
    log.refused(PEER, "no certificate");

    assertThat(lines).hasSize(1);
    assertThat(lines.remove().getMessage()).contains("leftOut=" + (1000 - RefusalLog.BURST));
  }
}
