package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** Connections of which one is to be made. */
final class RelayTest {
  private final EmbeddedChannel tunnel = new EmbeddedChannel();
  private final EmbeddedChannel plain = new EmbeddedChannel();

  @Test
  void join_fails_neitherStays() {
    assertThatThrownBy(() ->
            Relay.join(
                tunnel,
                plain,
                () -> {
                  throw new IllegalStateException("by the test");
                }))
        .hasMessage("by the test");
    assertThat(plain.isOpen()).isFalse();
    assertThat(tunnel.isOpen()).isFalse();
  }

  @Test
  void join_tunnelHasEndedMeanwhile_theOtherEndsToo() {
    var _ = tunnel.close();
    Relay.join(
        tunnel,
        plain,
        () -> {
          throw new AssertionError("there is nothing to join");
        });
    assertThat(plain.isOpen()).isFalse();
  }

  @Test
  void join_bothStand_bothStay() {
    Relay.join(tunnel, plain, () -> {});
    assertThat(plain.isOpen()).isTrue();
    assertThat(tunnel.isOpen()).isTrue();
  }
}
