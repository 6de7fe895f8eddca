package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** The order in which connections go when there are too many. */
final class PendingConnectionsTest {
  private final PendingConnections connections =
      new PendingConnections("test", 6, 3, PendingConnections.address(peer("10.0.0.9"))::equals);

  private static SocketAddress peer(String address) {
    try {
      return new InetSocketAddress(InetAddress.getByName(address), 1);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Peer extends EmbeddedChannel {
    private final SocketAddress address;

    Peer(String address) {
      this.address = peer(address);
    }

    @Override
    public SocketAddress remoteAddress() {
      return address;
    }
  }

  private Peer arrive(String address) {
    Peer made = new Peer(address);
    connections.arrived(made);
    made.runPendingTasks();
    return made;
  }

  @Test
  void arrived_tooManyOfAnAddress_closesTheOldestThatIsSilent() {
    Peer first = arrive("10.0.0.1");
    connections.received(first);
    Peer second = arrive("10.0.0.1");
    Peer third = arrive("10.0.0.1");
    Peer fourth = arrive("10.0.0.1");
    assertThat(first.isOpen()).isTrue();
    assertThat(second.isOpen()).isFalse();
    assertThat(third.isOpen()).isTrue();
    assertThat(fourth.isOpen()).isTrue();
    assertThat(connections.size()).isEqualTo(3);
  }

  @Test
  void arrived_allOfAnAddressHaveSpoken_closesTheOldest() {
    Peer[] peers = new Peer[4];
    for (int i = 0; i < peers.length; i++) {
      peers[i] = arrive("10.0.0.1");
      connections.received(peers[i]);
    }
    assertThat(peers).extracting(Peer::isOpen).containsExactly(false, true, true, true);
  }

  @Test
  void arrived_tooManyInAll_closesOneOfTheAddressWithMost() {
    Peer alone = arrive("10.0.0.1");
    Peer crowd = arrive("10.0.0.2");
    for (String address : new String[] {"10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.4"}) {
      Peer _ = arrive(address);
    }
    assertThat(connections.size()).isEqualTo(6);
    Peer last = arrive("10.0.0.5");
    assertThat(connections.size()).isEqualTo(6);
    assertThat(crowd.isOpen()).isFalse();
    assertThat(alone.isOpen()).isTrue();
    assertThat(last.isOpen()).isTrue();
  }

  @Test
  void arrived_addressOfALink_isTheLastToGo() {
    Peer[] known = {arrive("10.0.0.9"), arrive("10.0.0.9"), arrive("10.0.0.9")};
    Peer stranger = arrive("10.0.0.1");
    for (int i = 2; i < 5; i++) {
      Peer _ = arrive("10.0.0." + i);
    }
    assertThat(known).extracting(Peer::isOpen).containsOnly(true);
    assertThat(stranger.isOpen()).isFalse();
  }

  @Test
  void passed_orClosed_makesRoom() {
    Peer[] peers = {arrive("10.0.0.1"), arrive("10.0.0.1"), arrive("10.0.0.1")};
    connections.passed(peers[0]);
    peers[1].close();
    assertThat(connections.size()).isEqualTo(1);
    Peer _ = arrive("10.0.0.1");
    Peer _ = arrive("10.0.0.1");
    assertThat(peers[0].isOpen()).isTrue();
    assertThat(peers[2].isOpen()).isTrue();
  }

  @Test
  void address_ofIpv6_isItsNetwork() {
    assertThat(PendingConnections.address(peer("2001:db8::1")))
        .isEqualTo(PendingConnections.address(peer("2001:db8::ffff:1")))
        .isNotEqualTo(PendingConnections.address(peer("2001:db8:0:1::1")));
    assertThat(PendingConnections.address(peer("10.0.0.1")))
        .isNotEqualTo(PendingConnections.address(peer("10.0.0.2")));
  }
}
