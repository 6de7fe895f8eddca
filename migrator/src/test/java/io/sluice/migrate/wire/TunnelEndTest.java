package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is told of a tunnel that has ended. */
final class TunnelEndTest {
  private final List<String> told = new ArrayList<>();
  private final EmbeddedChannel machine = new EmbeddedChannel();
  private final EmbeddedChannel tunnel =
      new EmbeddedChannel(new TunnelEnd(machine, told::add), new Closer());

  /** Does with an exception what the handlers behind do. */
  private static final class Closer extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
      context.close();
    }
  }

  @AfterEach
  void close() {
    tunnel.close();
    machine.close();
  }

  @Test
  void ended_alertOfTheOtherSide_isToldFirst() {
    tunnel.pipeline().fireExceptionCaught(new SSLException("SSLV3_ALERT_BAD_RECORD_MAC"));
    assertThat(told.getFirst()).isEqualTo("the other side says: bad record mac");
    assertThat(tunnel.isOpen()).as("it is passed on").isFalse();
  }

  @Test
  void ended_byTheOtherSide_isTold() {
    tunnel.close();
    assertThat(told).containsExactly("the other side has ended it");
  }

  @Test
  void ended_byTheMachineItself_isNoReason() {
    machine.close();
    tunnel.close();
    assertThat(told).isEmpty();
  }
}
