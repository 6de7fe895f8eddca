package io.sluice.migrate.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.vdevice.dma.GuestRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What daemons say to one another of a machine's sessions, and lies. */
@ExtendWith(Seeds.class)
final class SessionMessagesTest {
  private static final GuestRange RANGE = new GuestRange(new Iova(0x10000), 0x50000);

  private static SessionMessages.Word word(int ranges) {
    return new SessionMessages.Word(
        SessionMessages.SESSION, 64, 1, ImmutableList.copyOf(Collections.nCopies(ranges, RANGE)));
  }

  @Test
  void word_writtenAndRead_isTheSame() {
    for (int ranges : new int[] {1, 2, 256}) {
      byte[] bytes = SessionMessages.word(word(ranges));
      assertThat(bytes).hasSize(SessionMessages.WORD_BYTES);
      assertThat(SessionMessages.word(bytes)).isEqualTo(word(ranges));
    }
  }

  @Test
  void word_withNumbersThatCannotBe_isRefused() {
    refused(0, 0); // its kind
    refused(0, 3);
    refused(12, 0); // its ranges
    refused(12, 257);
    refused(12, -1);
    refused(16, 1); // no whole page
    refused(24, 1);
    refused(24, 0);
  }

  @Test
  void word_ofANearEnd_hasThePlaceBehindIt() {
    SessionMessages.Word near =
        new SessionMessages.Word(
            SessionMessages.NEAR_END, 64, 1, ImmutableList.of(RANGE), "kvm-a.example:7443");
    byte[] bytes = SessionMessages.word(near);
    assertThat(bytes).hasSize(SessionMessages.WORD_BYTES + SessionMessages.PLACE_BYTES);
    assertThat(SessionMessages.bytesMore(Arrays.copyOf(bytes, SessionMessages.WORD_BYTES)))
        .isEqualTo(SessionMessages.PLACE_BYTES);
    assertThat(SessionMessages.word(bytes)).isEqualTo(near);
    assertThatThrownBy(() -> SessionMessages.word(Arrays.copyOf(bytes, SessionMessages.WORD_BYTES)))
        .as("a file has none")
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void word_ofAPlaceThatIsTooLong_isRefused() {
    SessionMessages.Word near =
        new SessionMessages.Word(
            SessionMessages.NEAR_END,
            64,
            1,
            ImmutableList.of(RANGE),
            "a".repeat(SessionMessages.PLACE_BYTES + 1));
    assertThatThrownBy(() -> SessionMessages.word(near)).isInstanceOf(RefusedException.class);
  }

  private static void refused(int offset, int value) {
    byte[] bytes = SessionMessages.word(word(1));
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
    assertThatThrownBy(() -> SessionMessages.word(bytes))
        .as("offset=%d, value=%d", offset, value)
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void words_ofNoise_areReadOrRefusedAndNothingElse(RandomGenerator random) {
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = SessionMessages.word(word(1 + random.nextInt(256)));
      for (int k = 0; k < 4; k++) {
        bytes[random.nextInt(random.nextBoolean() ? 32 : bytes.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(SessionMessages.word(bytes).ranges()).isNotEmpty();
      } catch (RefusedException refusal) {
        assertThat(refusal.getMessage()).isNotEmpty();
      }
    }
  }

  @Test
  void description_ofTheMachineAlone_isNotOfSessions() {
    ByteBuffer own = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 1);
    assertThat(SessionMessages.isOfSessions(own)).isFalse();
    ByteBuffer extended = SessionMessages.description(3, own);
    assertThat(SessionMessages.isOfSessions(extended)).isTrue();
    assertThat(SessionMessages.described(extended).sessions()).isEqualTo(3);
    assertThat(SessionMessages.described(extended).machine()).isEqualTo(own);
    assertThatThrownBy(() -> SessionMessages.described(SessionMessages.description(65, own)))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void answer_withAndWithoutAnAddress_isTheSame() {
    ByteBuffer own = ByteBuffer.wrap(new byte[] {1, 2, 3});
    ByteBuffer address = ByteBuffer.wrap(new byte[16]);
    SessionMessages.Answered with = SessionMessages.answered(SessionMessages.answer(address, own));
    assertThat(with.address().remaining()).isEqualTo(16);
    assertThat(with.machine()).isEqualTo(own);
    ByteBuffer none = ByteBuffer.allocate(0);
    assertThat(SessionMessages.answered(SessionMessages.answer(none, own)).address().hasRemaining())
        .isFalse();
    assertThatThrownBy(() -> SessionMessages.answered(ByteBuffer.wrap(new byte[] {9, 0, 0, 0})))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void handles_cutOrTooMany_areRefused() {
    ByteBuffer part = SessionMessages.handles(Set.of(1, 7, 64));
    assertThat(SessionMessages.handles(part.duplicate())).containsExactlyInAnyOrder(1, 7, 64);
    byte[] cut = Arrays.copyOf(part.array(), part.array().length - 1);
    assertThatThrownBy(() -> SessionMessages.handles(ByteBuffer.wrap(cut)))
        .isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> SessionMessages.handles(ByteBuffer.allocate(0)))
        .isInstanceOf(RefusedException.class);
  }
}
