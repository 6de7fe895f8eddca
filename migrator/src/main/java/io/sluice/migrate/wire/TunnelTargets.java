package io.sluice.migrate.wire;

import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tunnels that a destination waits for: each has an id drawn at random, which only the source
 * of its migration is told, and works once.
 */
public final class TunnelTargets {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelTargets.class);
  private static final int ADDRESS_BYTES = 2 * Long.BYTES;

  private final Map<UUID, Awaited> waiting = new ConcurrentHashMap<>();

  /**
   * A tunnel that is waited for.
   *
   * @param socket where it ends
   * @param stands whether it is for any number of connections
   * @param onCut told, on an event loop, why the connection to the source has ended, unless it is
   *     the socket's owner who has ended it; the first of several says most
   */
  public record Awaited(Path socket, boolean stands, Consumer<String> onCut) {}

  /**
   * Where a tunnel ends, for {@link LinkServer}; from then on it is not waited for any more, unless
   * it stands open.
   */
  public Optional<Awaited> take(UUID id) {
    Awaited awaited = waiting.remove(id);
    if (awaited != null && awaited.stands()) {
      waiting.put(id, awaited);
    }
    return Optional.ofNullable(awaited);
  }

  /**
   * The end of one tunnel.
   *
   * @param id drawn at random
   * @param socket where QEMU listens for its stream
   */
  public RamTransport.Target target(UUID id, Path socket) {
    return new Target(id, socket, false);
  }

  /**
   * As {@link #target}, for any number of connections until it is closed.
   *
   * @param socket where somebody listens
   */
  public RamTransport.Target standing(UUID id, Path socket) {
    return new Target(id, socket, true);
  }

  private final class Target implements RamTransport.Target {
    private final UUID id;
    private final Path socket;
    private final AtomicReference<@Nullable String> cut = new AtomicReference<>();

    Target(UUID id, Path socket, boolean stands) {
      this.id = id;
      this.socket = socket;
      waiting.put(id, new Awaited(socket, stands, why -> cut.compareAndSet(null, why)));
    }

    @Override
    public String uri() {
      return "unix:" + socket;
    }

    @Override
    public ByteBuffer address() {
      return ByteBuffer.allocate(ADDRESS_BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putLong(id.getMostSignificantBits())
          .putLong(id.getLeastSignificantBits())
          .flip();
    }

    @Override
    public Optional<String> cut() {
      return Optional.ofNullable(cut.get());
    }

    /** A machine that is ended before its stream has begun leaves its socket behind. */
    @Override
    public void close() {
      waiting.remove(id);
      try {
        StreamSocket.remove(socket);
      } catch (IOException e) {
        LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
      }
    }
  }

  static UUID id(ByteBuffer address) {
    ByteBuffer in = address.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() != ADDRESS_BYTES) {
      throw WireFailure.protocol("no tunnel's address");
    }
    return new UUID(in.getLong(), in.getLong());
  }
}
