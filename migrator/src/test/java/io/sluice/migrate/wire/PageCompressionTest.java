package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer that has agreed to compress may send, and what it may not. */
final class PageCompressionTest {
  private static final int PAGES = FrameType.PAGES.number();
  private static final int MIB = 1 << 20;

  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new PageCompression(
              new WireLink(UUID.randomUUID(), "peer", 1, new FrameMemory(true, 2), 0, () -> {})));

  @AfterEach
  void close() {
    assertThat(channel.finishAndReleaseAll()).isIn(true, false);
  }

  private static WireSection packed(int id, int version, int length, byte[] frame) {
    ByteBuffer payload = ByteBuffer.allocate(12 + frame.length).order(ByteOrder.LITTLE_ENDIAN);
    payload.putInt(id).putInt(version).putInt(length).put(frame).flip();
    return new WireSection(PageCompression.COMPRESSED, 1, payload);
  }

  private static byte[] zstd(int bytes) {
    return Zstd.compress(new byte[bytes]);
  }

  private void assertRefused(WireSection section) {
    assertThatThrownBy(() -> channel.writeInbound(section))
        .satisfies(thrown -> {
          RefusedException refusal = StreamHandler.refusal(thrown);
          assertThat(refusal).isNotNull();
          assertThat(java.util.Objects.requireNonNull(refusal).code()).isEqualTo("SLU-NET-001");
        });
    assertThat(channel.<Object>readInbound()).isNull();
  }

  @Test
  void decode_frameThatUnpacksToMoreThanItSays_refused() {
    assertRefused(packed(PAGES, 1, 4096, zstd(4097)));
    assertRefused(packed(PAGES, 1, 4096, zstd(MIB)));
  }

  /** 1 GiB in some tens of kilobytes: nothing of it is ever held. */
  @Test
  void decode_bomb_refused() {
    byte[] bomb = zstd(1 << 30);
    assertThat(bomb.length).isLessThan(MIB);
    assertRefused(packed(PAGES, 1, MIB, bomb));
    assertRefused(packed(PAGES, 1, 1 << 30, bomb));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1023, MIB + 1, Integer.MAX_VALUE, -1})
  void decode_lengthThatCannotBe_refused(int length) {
    assertRefused(packed(PAGES, 1, length, zstd(4096)));
  }

  @Test
  void decode_frameThatUnpacksToLess_refused() {
    assertRefused(packed(PAGES, 1, 4096, zstd(4095)));
    assertRefused(packed(PAGES, 1, 4096, zstd(0)));
  }

  @Test
  void decode_otherSectionInside_refused() {
    assertRefused(packed(FrameType.STATE.number(), 1, 4096, zstd(4096)));
    assertRefused(packed(PageCompression.COMPRESSED, 1, 4096, zstd(4096)));
    assertRefused(packed(0, 1, 4096, zstd(4096)));
  }

  @Test
  void decode_noFrame_refused() {
    assertRefused(packed(PAGES, 1, 4096, new byte[0]));
    assertRefused(packed(PAGES, 1, 4096, new byte[100]));
    byte[] noise = new byte[1000];
    new Random(1).nextBytes(noise);
    assertRefused(packed(PAGES, 1, 4096, noise));
    byte[] whole = zstd(4096);
    assertRefused(packed(PAGES, 1, 4096, Arrays.copyOf(whole, whole.length - 1)));
    assertRefused(
        new WireSection(PageCompression.COMPRESSED, 2, packed(PAGES, 1, 4096, whole).payload()));
    assertRefused(new WireSection(PageCompression.COMPRESSED, 1, ByteBuffer.allocate(12)));
  }

  @Test
  void decode_afterRefusals_stillUnpacks() {
    assertRefused(packed(PAGES, 1, 4096, new byte[100]));
    assertThat(channel.writeInbound(packed(PAGES, 7, 4096, zstd(4096)))).isTrue();
    assertThat(channel.<WireSection>readInbound())
        .isEqualTo(new WireSection(PAGES, 7, ByteBuffer.allocate(4096)));
  }

  @Test
  void encode_noiseAndShortSections_passUnchanged() {
    byte[] noise = new byte[100_000];
    new Random(1).nextBytes(noise);
    WireSection[] sections = {
      new WireSection(PAGES, 1, ByteBuffer.wrap(noise)),
      new WireSection(PAGES, 1, ByteBuffer.allocate(1023)),
      new WireSection(FrameType.STATE.number(), 1, ByteBuffer.allocate(100_000)),
    };
    for (WireSection section : sections) {
      assertThat(channel.writeOutbound(section)).isTrue();
      assertThat(channel.<WireSection>readOutbound()).isSameAs(section);
    }
  }
}
