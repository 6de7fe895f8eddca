package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.abi.RefusedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When QEMU's connection is read. */
final class TunnelWindowTest {
  private final TunnelWindow window = new TunnelWindow();
  private final EmbeddedChannel machine = new EmbeddedChannel();
  private final EmbeddedChannel tunnel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter());

  @AfterEach
  void close() {
    machine.close();
    tunnel.close();
  }

  private boolean isRead() {
    machine.runPendingTasks();
    return machine.config().isAutoRead();
  }

  @Test
  void handedOn_moreThanWasSentOrLessThanBefore_isRefused() {
    window.begin(machine, tunnel);
    window.take(100);
    assertThatThrownBy(() -> window.handedOn(101)).isInstanceOf(RefusedException.class);
    window.handedOn(60);
    assertThatThrownBy(() -> window.handedOn(59)).isInstanceOf(RefusedException.class);
    assertThat(window.bytesCarried()).isEqualTo(60);
    assertThat(window.bytesQueued()).isEqualTo(40);
  }

  @Test
  void window_nobodyCounts_saysSo() {
    assertThat(window.isCounted()).isFalse();
    window.limit(1);
    assertThat(window.bytesQueued()).isZero();
    window.begin(machine, tunnel);
    assertThat(window.isCounted()).isTrue();
  }

  @Test
  void take_asMuchAsTheLimit_isNotReadUntilSomeHasArrived() {
    window.limit(1000);
    window.begin(machine, tunnel);
    window.take(999);
    assertThat(isRead()).isTrue();
    window.take(1);
    assertThat(isRead()).isFalse();
    window.handedOn(1);
    assertThat(isRead()).isTrue();
  }

  @Test
  void limit_lowered_isNotReadUntilThatIsLeft() {
    window.begin(machine, tunnel);
    window.take(5000);
    assertThat(isRead()).isTrue();
    window.limit(1000);
    assertThat(isRead()).isFalse();
    window.handedOn(4000);
    assertThat(isRead()).isFalse();
    window.handedOn(4001);
    assertThat(isRead()).isTrue();
    window.limit(500);
    window.limit(2000);
    assertThat(isRead()).isTrue();
  }

  @Test
  void tunnel_takesNoMore_isNotRead() {
    tunnel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    window.begin(machine, tunnel);
    assertThat(isRead()).isTrue();
    var _ = tunnel.write(Unpooled.wrappedBuffer(new byte[10]));
    window.pace();
    assertThat(isRead()).isFalse();
    tunnel.flush();
    window.pace();
    assertThat(isRead()).isTrue();
    tunnel.releaseOutbound();
  }
}
