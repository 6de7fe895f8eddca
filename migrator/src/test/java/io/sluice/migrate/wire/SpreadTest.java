package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.sluice.migrate.link.MigrationLink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of a side's event loops have which streams. */
final class SpreadTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"2,4", "3,3", "4,8"})
  void link_itsStreamsOfPages_areSpreadEvenlyAtBothSides(int count, int streams) throws Exception {
    Certificates certificates = new Certificates(directory);
    CompletableFuture<MigrationLink> come = new CompletableFuture<>();
    try (WireLoops sending = new WireLoops(count, Thread.ofPlatform().daemon().factory());
        WireLoops receiving = new WireLoops(count, Thread.ofPlatform().daemon().factory());
        LinkServer server =
            new LinkServer(
                receiving,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                certificates.of("server", WireRig.HERE),
                come::complete,
                _ -> Optional.empty());
        LinkClient client =
            new LinkClient(
                sending,
                WireRig.HERE,
                server.port(),
                certificates.of("client", "client"),
                0,
                false)) {
      try (MigrationLink out = client.link(new UUID(1, 2), streams);
          MigrationLink in = come.get(WireRig.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        assertSpread((WireLink) in, count);
        WireRig.soon()
            .until(() -> ((WireLink) out).streams().stream().allMatch(WireStream::isConnected));
        assertSpread((WireLink) out, count);
      }
    }
  }

  private static void assertSpread(WireLink link, int loops) {
    var by =
        link.streams().stream()
            .skip(1)
            .collect(
                Collectors.groupingBy(
                    (WireStream stream) -> (EventLoop) Objects.requireNonNull(stream.loop()),
                    Collectors.counting()));
    assertThat(by).hasSize(loops);
    assertThat(by.values()).containsOnly((long) link.dataStreams() / loops);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 11, 16, 32, 256})
  void usual_processors_isAQuarterOfThemWithinLimits(int processors) {
    assertThat(WireLoops.usual(processors))
        .isBetween(2, 8)
        .isEqualTo(processors < 8 ? 2 : processors > 32 ? 8 : processors / 4);
  }
}
