package io.sluice.migrate.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.record.SectionHeader;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.testbed.checks.StandIn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link whose peer does not read. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UnixLinkTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  private final Kernel real = RealKernel.create();
  private final CountDownLatch sending = new CountDownLatch(1);
  private final List<Fd> pair = real.socketpair();
  private final UnixLink link = new UnixLink(noting(), pair.get(0), THREADS);

  @AfterEach
  void close() {
    link.close();
    pair.get(1).close();
  }

  /** The kernel, which says when something is sent. */
  private Kernel noting() {
    return StandIn.of(
        Kernel.class,
        real,
        call -> {
          if (call.is("sendmsg")) {
            sending.countDown();
          }
          return call.pass();
        });
  }

  /** More than a socket takes whose peer does not read. */
  private CompletableFuture<Void> sendMuch() throws InterruptedException {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    THREADS
        .newThread(() -> {
          try {
            for (int i = 0; i < 64; i++) {
              boolean _ =
                  link.send(
                      MigrationLink.CONTROL,
                      Frame.of(FrameType.STATE, ByteBuffer.allocate(1 << 20)));
            }
            sent.complete(null);
          } catch (SluiceException e) {
            sent.completeExceptionally(e);
          }
        })
        .start();
    sending.await();
    return sent;
  }

  @Test
  void send_peerDoesNotRead_othersAreAnsweredMeanwhile() throws Exception {
    CompletableFuture<Void> sent = sendMuch();
    assertThat(link.failure()).isEmpty();
    assertThat(link.poll(MigrationLink.CONTROL)).isNull();
    assertThat(link.take()).isEmpty();
    assertThat(link.statistics().bytesReceived()).isZero();
    assertThat(sent).isNotDone();
  }

  @Test
  void close_whileASenderWaits_endsItAndClosesTheSocket() throws Exception {
    CompletableFuture<Void> sent = sendMuch();
    link.close();
    assertThatThrownBy(() -> sent.get()).hasCauseInstanceOf(SluiceException.class);
    assertThat(link.awaitClosed(PATIENCE)).isTrue();
    assertThat(pair.getFirst().isOpen()).isFalse();
    assertThatThrownBy(() -> link.send(MigrationLink.CONTROL, Frame.of(FrameType.HEARTBEAT)))
        .hasMessageContaining("SLU-MIG-001");
  }

  @Test
  void send_peerReadsAfterAll_goesOn() throws Exception {
    CompletableFuture<Void> sent = sendMuch();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(1 << 20);
      long left = 64L * ((1 << 20) + SectionHeader.BYTES);
      while (left > 0) {
        long came = real.recvmsg(pair.get(1), into, new FdList());
        assertThat(came).isPositive();
        left -= came;
      }
    }
    sent.get();
    await().atMost(PATIENCE).until(() -> link.statistics().bytesSent() > 64L << 20);
  }
}
