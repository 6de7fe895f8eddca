package io.sluice.migrate.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Iova;
import io.sluice.abi.sys.Fd;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.vdevice.dma.GuestRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Words as they come; in this kernel a receive waits for ever. */
@Timeout(120)
final class SessionWordsTest {
  static final Word WORD =
      new Word(
          SessionMessages.SESSION,
          3,
          1,
          ImmutableList.of(new GuestRange(new Iova(0x10000), 0x3000)));

  private final FakeKernel kernel = new FakeKernel();

  static void send(FakeKernel kernel, Fd stream, byte[] word, int from, int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(bytes);
      out.copyFrom(MemorySegment.ofArray(word).asSlice(from, bytes));
      kernel.sendmsg(stream, out, List.of());
    }
  }

  /** Sends a word piece by piece, each when the one before was received. */
  private Optional<Word> hearInPieces(Word said, int pieceBytes) {
    byte[] word = SessionMessages.word(said);
    List<Fd> pair = kernel.socketpair();
    try (Fd near = pair.get(0);
        Fd far = pair.get(1)) {
      CompletableFuture<Optional<Word>> heard = new CompletableFuture<>();
      Thread.ofPlatform().daemon().start(() -> heard.complete(SessionWords.hear(kernel, near)));
      long pieces = 0;
      for (int from = 0; from < word.length && !heard.isDone(); from += pieceBytes) {
        while (kernel.count("recvmsg") <= pieces && !heard.isDone()) {
          Thread.onSpinWait();
        }
        if (!heard.isDone()) {
          send(kernel, far, word, from, Math.min(pieceBytes, word.length - from));
          pieces++;
        }
      }
      return heard.join();
    }
  }

  @Test
  void hear_byteAfterByte_endsAfterSoManyLooks() {
    assertThat(hearInPieces(WORD, 1)).isEmpty();
    assertThat(kernel.count("recvmsg")).isEqualTo(SessionWords.WORD_LOOKS);
  }

  @Test
  void hear_wordInAFewPieces_isHeard() {
    assertThat(hearInPieces(WORD, 1000)).contains(WORD);
  }

  @Test
  void hear_wordOfANearEnd_isHeardWithItsPlace() {
    Word near = new Word(SessionMessages.NEAR_END, 3, 1, WORD.ranges(), "kvm-a.example:7443");
    assertThat(hearInPieces(near, SessionMessages.WORD_BYTES)).contains(near);
  }
}
