package io.sluice.migrate.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.channel.Channel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that are open and have not got past one stage of their beginning, few in all and few
 * of one address. Nobody is turned away: when one comes that is too many, another one goes. Of an
 * address that has too many, or else of the one that has most, that is the oldest that has said
 * nothing yet, or the oldest. An address that is preferred is taken last.
 */
final class PendingConnections {
  private static final Logger LOG = LoggerFactory.getLogger(PendingConnections.class);

  /** Of an IPv6 address: what one subscriber is given commonly. */
  private static final int NETWORK_BYTES = 8;

  private final String stage;
  private final int most;
  private final int mostOfAddress;
  private final Predicate<String> preferred;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Channel, PendingConnection> waiting =
      new LinkedHashMap<>(); // in order of arrival

  @GuardedBy("lock")
  private final Map<String, Integer> ofAddress = new LinkedHashMap<>();

  @GuardedBy("lock")
  private boolean crowded;

  private static final class PendingConnection {
    final String address;
    boolean silent = true;

    PendingConnection(String address) {
      this.address = address;
    }
  }

  /**
   * @param stage what they have not got past, for the log
   * @param most of them at one time
   * @param mostOfAddress most of them of one address
   * @param preferred whether an address is taken last
   */
  PendingConnections(String stage, int most, int mostOfAddress, Predicate<String> preferred) {
    this.stage = stage;
    this.most = most;
    this.mostOfAddress = mostOfAddress;
    this.preferred = preferred;
  }

  /** What counts as one address: of IPv6 the network. */
  static String address(@Nullable SocketAddress peer) {
    if (!(peer instanceof InetSocketAddress known)) {
      return "";
    }
    InetAddress address = known.getAddress();
    byte[] bytes = address == null ? new byte[0] : address.getAddress();
    return HexFormat.of()
        .formatHex(address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
  }

  /** One more; it is here until it has {@link #passed}, or closes. */
  void arrived(Channel channel) {
    PendingConnection pending = new PendingConnection(address(channel.remoteAddress()));
    Channel leaves;
    lock.lock();
    try {
      waiting.put(channel, pending);
      ofAddress.merge(pending.address, 1, Integer::sum);
      leaves = tooMany(channel, pending.address);
      if (leaves != null) {
        remove(leaves);
      }
    } finally {
      lock.unlock();
    }
    // Each takes itself off the list by that, or is not on it: not under the lock.
    var _ = channel.closeFuture().addListener(_ -> passed(channel));
    if (leaves != null) {
      leaves.close();
    }
  }

  /** It has said something. */
  void received(Channel channel) {
    lock.lock();
    try {
      PendingConnection pending = waiting.get(channel);
      if (pending != null) {
        pending.silent = false;
      }
    } finally {
      lock.unlock();
    }
  }

  /** It is none any more; nothing happens if it is none. */
  void passed(Channel channel) {
    lock.lock();
    try {
      remove(channel);
      crowded &= waiting.size() > most / 2;
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void remove(Channel channel) {
    PendingConnection pending = waiting.remove(channel);
    if (pending != null) {
      ofAddress.computeIfPresent(pending.address, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  @GuardedBy("lock")
  private @Nullable Channel tooMany(Channel arrived, String of) {
    String address = of;
    if (ofAddress.getOrDefault(of, 0) <= mostOfAddress) {
      if (waiting.size() <= most) {
        return null;
      }
      address = crowdedAddress();
    }
    if (!crowded) {
      crowded = true;
      LOG.atWarn()
          .addKeyValue("connections", waiting.size())
          .addKeyValue("stage", stage)
          .log("too many connections have not said who they are: the oldest are closed");
    }
    return oldest(address, arrived);
  }

  @GuardedBy("lock")
  private String crowdedAddress() {
    List<String> addresses = new ArrayList<>(ofAddress.keySet());
    List<String> others = addresses.stream().filter(preferred.negate()).toList();
    String found = "";
    int foundCount = 0;
    for (String address : others.isEmpty() ? addresses : others) {
      int count = ofAddress.getOrDefault(address, 0);
      if (count > foundCount) {
        found = address;
        foundCount = count;
      }
    }
    return found;
  }

  /** Not the one that has just come, unless it is alone: it has had no time to say anything. */
  @GuardedBy("lock")
  private Channel oldest(String address, Channel arrived) {
    Channel spoken = null;
    for (Map.Entry<Channel, PendingConnection> each : waiting.entrySet()) {
      if (each.getValue().address.equals(address) && each.getKey() != arrived) {
        if (each.getValue().silent) {
          return each.getKey();
        }
        spoken = spoken == null ? each.getKey() : spoken;
      }
    }
    return spoken == null ? arrived : spoken;
  }
}
