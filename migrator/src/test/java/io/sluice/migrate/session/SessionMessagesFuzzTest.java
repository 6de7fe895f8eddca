package io.sluice.migrate.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.collect.ImmutableList;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.vdevice.dma.GuestRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** What daemons say to each other of a machine's sessions: refused, or the same written again. */
final class SessionMessagesFuzzTest {
  private static final int KINDS = 4;

  /** The kind of message, and its bytes. */
  static Stream<byte[]> messages() {
    Word word =
        new Word(
            SessionMessages.SESSION,
            2,
            3,
            ImmutableList.of(GuestRange.checked(new Iova(0x10000), 4096)));
    ByteBuffer machine = ByteBuffer.wrap(new byte[] {9, 9});
    return Stream.of(
        seed(0, ByteBuffer.wrap(SessionMessages.word(word))),
        seed(1, SessionMessages.description(2, machine)),
        seed(2, SessionMessages.answer(ByteBuffer.wrap(new byte[6]), machine)),
        seed(3, SessionMessages.handles(Set.of(1, 5))));
  }

  private static byte[] seed(int kind, ByteBuffer message) {
    byte[] seed = new byte[1 + message.remaining()];
    seed[0] = (byte) kind;
    message.duplicate().get(seed, 1, seed.length - 1);
    return seed;
  }

  @MethodSource("messages")
  @FuzzTest
  void message(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
    ByteBuffer message = ByteBuffer.wrap(bytes);
    try {
      switch ((input[0] & 0xff) % KINDS) {
        case 0 -> {
          Word word = SessionMessages.word(bytes);
          assertThat(SessionMessages.word(SessionMessages.word(word))).isEqualTo(word);
          assertThat(SessionMessages.bytes(word)).isLessThanOrEqualTo(SessionMessages.WORD_BYTES);
        }
        case 1 -> {
          SessionMessages.Described found = SessionMessages.described(message);
          assertThat(SessionMessages.description(found.sessions(), found.machine()))
              .isEqualTo(message);
          assertThat(SessionMessages.isOfSessions(message)).isTrue();
        }
        case 2 -> {
          SessionMessages.Answered found = SessionMessages.answered(message);
          assertThat(SessionMessages.answer(found.address(), found.machine())).isEqualTo(message);
        }
        default -> {
          Set<Integer> handles = SessionMessages.handles(message);
          assertThat(SessionMessages.handles(SessionMessages.handles(handles))).isEqualTo(handles);
        }
      }
    } catch (RefusedException e) {
      assertThat(e.errno().name()).isIn("EPROTO", "EINVAL");
    }
  }
}
