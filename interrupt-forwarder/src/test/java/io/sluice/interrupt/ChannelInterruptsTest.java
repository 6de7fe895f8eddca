package io.sluice.interrupt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ChannelInterruptsTest {
  private static final int CHANNELS = 128;

  private final List<Integer> vectorsRaised = new ArrayList<>();
  private final MemorySegment bitmap =
      MemorySegment.ofArray(new int[(int) ChannelInterrupts.bitmapBytes(CHANNELS) / 4]);
  private final ChannelInterrupts interrupts =
      new ChannelInterrupts(bitmap, CHANNELS, vectors(17, vectorsRaised::add));

  private static InterruptVectors vectors(int count, java.util.function.IntConsumer raised) {
    return new InterruptVectors() {
      @Override
      public int count() {
        return count;
      }

      @Override
      public void raise(int vector) {
        raised.accept(vector);
      }
    };
  }

  @Test
  void constructor_noVectorForChannels_throws() {
    assertThatThrownBy(() -> new ChannelInterrupts(bitmap, CHANNELS, vectors(1, _ -> {})))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void constructor_bitmapTooShort_throws() {
    assertThatThrownBy(() -> new ChannelInterrupts(bitmap, 129, vectors(2, _ -> {})))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void raise_channelOutside_throwsAndTouchesNothing() {
    for (int cid : new int[] {-1, CHANNELS, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> interrupts.raise(cid)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(vectorsRaised).isEmpty();
  }

  @Test
  void raise_bitClear_setsItFirstAndRaisesTheVector() {
    List<Integer> seen = new ArrayList<>();
    ChannelInterrupts watched =
        new ChannelInterrupts(
            bitmap, CHANNELS, vectors(17, _ -> seen.add(bitmap.get(ValueLayout.JAVA_INT, 4))));
    watched.raise(33);
    assertThat(seen).containsExactly(1 << 1);
    assertThat(watched.vectorOf(33)).isEqualTo(1 + 33 % 16);
  }

  @Test
  void raise_everyChannel_setsItsBitAndVector() {
    for (int cid = 1; cid < CHANNELS; cid++) {
      vectorsRaised.clear();
      bitmap.fill((byte) 0);
      interrupts.raise(cid);
      assertThat(vectorsRaised).containsExactly(1 + cid % 16);
      for (int word = 0; word < 4; word++) {
        assertThat(bitmap.get(ValueLayout.JAVA_INT, word * 4L))
            .isEqualTo(word == cid / 32 ? 1 << cid % 32 : 0);
      }
    }
  }

  @Test
  void raise_bitStillSet_countsAsOne() {
    interrupts.raise(5);
    interrupts.raise(5);
    interrupts.raise(6);
    assertThat(vectorsRaised).containsExactly(6, 7);
    assertThat(interrupts.raised(5)).isEqualTo(1);
    assertThat(interrupts.coalesced(5)).isEqualTo(1);
    assertThat(interrupts.raised(6)).isEqualTo(1);
  }

  @Test
  void raise_bitTaken_raisesAgain() {
    interrupts.raise(5);
    bitmap.set(ValueLayout.JAVA_INT, 0, 0);
    interrupts.raise(5);
    assertThat(interrupts.raised(5)).isEqualTo(2);
    interrupts.channelCreated(5);
    interrupts.raise(5);
    assertThat(interrupts.raised(5)).isEqualTo(3);
  }

  // ---- the short way ----

  private final List<String> told = new ArrayList<>();
  private final Fd first = new Fd(1001, _ -> {});
  private final Fd second = new Fd(1002, _ -> {});

  private void goDirect(int... channels) {
    interrupts.useDirectDelivery(
        (cid, eventfd) -> told.add(cid + " " + (eventfd == null ? "-" : eventfd.number())));
    for (int cid : channels) {
      interrupts.channelCreated(cid);
    }
  }

  @Test
  void channelCreated_vectorWithoutEventfd_tellsNothing() {
    goDirect(5);
    assertThat(told).isEmpty();
  }

  @Test
  void channelCreated_vectorWithEventfd_isToldOfIt() {
    goDirect();
    interrupts.vectorChanged(6, first);
    interrupts.channelCreated(5);
    interrupts.channelCreated(6);
    assertThat(told).containsExactly("5 1001");
  }

  @Test
  void vectorChanged_itsChannels_areToldAndNoOthers() {
    goDirect(4, 5, 21, 37, 16);
    interrupts.vectorChanged(6, first);
    interrupts.vectorChanged(6, second);
    interrupts.vectorChanged(6, null);
    assertThat(told)
        .containsExactly(
            "5 1001", "21 1001", "37 1001", "5 1002", "21 1002", "37 1002", "5 -", "21 -", "37 -");
    told.clear();
    interrupts.vectorChanged(1, first);
    assertThat(told).containsExactly("16 1001");
  }

  @Test
  void vectorChanged_noVectorOfChannels_isIgnored() {
    goDirect(5);
    for (int vector : new int[] {0, -1, 17, Integer.MAX_VALUE}) {
      interrupts.vectorChanged(vector, first);
    }
    assertThat(told).isEmpty();
  }

  /** What a former eventfd carried may be lost with it. */
  @Test
  void vectorChanged_bitStillSet_raisesTheVectorOnceMore() {
    interrupts.raise(5);
    vectorsRaised.clear();
    interrupts.vectorChanged(6, null);
    interrupts.vectorChanged(7, first);
    assertThat(vectorsRaised).isEmpty();
    interrupts.vectorChanged(6, first);
    assertThat(vectorsRaised).containsExactly(6);
    bitmap.fill((byte) 0);
    interrupts.vectorChanged(6, second);
    assertThat(vectorsRaised).containsExactly(6);
  }

  @Test
  void vectorChanged_channelThatIsGone_isAskedOnceOnly() {
    interrupts.useDirectDelivery((cid, _) -> {
      told.add("asked " + cid);
      throw new RefusedException("SLU-CHN-001", Errno.ENOENT, "gone", "");
    });
    interrupts.channelCreated(5);
    interrupts.vectorChanged(6, first);
    interrupts.vectorChanged(6, null);
    assertThat(told).containsExactly("asked 5");
  }

  /**
   * A guest that takes the bitmap only when its vector was raised must have seen, when all is
   * quiet, the last thing every interrupt stood for.
   */
  @Test
  void raise_againstAGuestThatTakesTheWord_losesNothing() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment shared = arena.allocate(ChannelInterrupts.bitmapBytes(CHANNELS), 8);
      AtomicInteger raised = new AtomicInteger();
      AtomicInteger produced = new AtomicInteger();
      AtomicBoolean done = new AtomicBoolean();
      ChannelInterrupts racing =
          new ChannelInterrupts(shared, CHANNELS, vectors(2, _ -> raised.incrementAndGet()));
      int[] seen = {0};
      CountDownLatch started = new CountDownLatch(1);
      Thread guest =
          Thread.ofPlatform()
              .start(() -> {
                var word = ValueLayout.JAVA_INT.varHandle();
                int handled = 0;
                started.countDown();
                while (true) {
                  boolean last = done.get();
                  int interruptsSoFar = raised.get();
                  if (interruptsSoFar != handled) {
                    handled = interruptsSoFar;
                    if (((int) word.getAndSet(shared, 0L, 0) & 2) != 0) {
                      seen[0] = produced.get();
                    }
                  } else if (last) {
                    return;
                  }
                }
              });
      started.await();
      for (int i = 1; i <= 200_000; i++) {
        produced.set(i);
        racing.raise(1);
      }
      done.set(true);
      guest.join();
      assertThat(seen[0]).isEqualTo(200_000);
      assertThat(racing.raised(1) + racing.coalesced(1)).isEqualTo(200_000);
    }
  }
}
