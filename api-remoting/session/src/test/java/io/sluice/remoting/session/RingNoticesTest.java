package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Notices in the application's memory, and those that wait for room. */
class RingNoticesTest {
  private static final int ROOM = RingLayout.NOTICE_COUNT;
  private static final int MOST_WITH_TEXT = 1 << 16;
  private static final int MOST = 1 << 17;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment memory = arena.allocate(RingLayout.RING, 8);
  private final RingNotices notices = new RingNotices(memory, _ -> {});

  @AfterEach
  void free() {
    arena.close();
  }

  private int word(long at) {
    return memory.get(ValueLayout.JAVA_INT, at);
  }

  private boolean doWait() {
    return word(RingLayout.NOTICES_WAIT) != 0;
  }

  /** Takes what is there, as an application does. */
  private String take() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    int head = word(RingLayout.NOTICE_HEAD);
    for (int at = word(RingLayout.NOTICE_TAIL); at != head; at++) {
      long notice = RingLayout.NOTICES + (at & (ROOM - 1)) * RingLayout.NOTICE_BYTES;
      int kind = word(notice);
      assertThat(kind & 0xffff).isEqualTo(Notices.TEXT);
      for (int i = 0; i < kind >>> Short.SIZE; i++) {
        text.write(memory.get(ValueLayout.JAVA_BYTE, notice + 4 + i));
      }
    }
    memory.set(ValueLayout.JAVA_INT, RingLayout.NOTICE_TAIL, head);
    return text.toString(StandardCharsets.US_ASCII);
  }

  private static byte[] text(int bytes) {
    return "0123456789"
        .repeat(bytes / 10 + 1)
        .substring(0, bytes)
        .getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void print_ofAnyLength_isTheTextThatIsTaken() {
    for (int bytes : new int[] {0, 1, 7, 8, 9, 100}) {
      notices.print(text(bytes));

      assertThat(take()).isEqualTo(new String(text(bytes), StandardCharsets.US_ASCII));
      assertThat(doWait()).isFalse();
    }
  }

  @Test
  void print_ofMoreThanThereIsRoomFor_saysSoUntilAllIsThere() {
    byte[] all = text(8 * ROOM + 8);

    notices.print(all);
    assertThat(doWait()).isTrue();
    String first = take();
    int written = notices.write();

    assertThat(written).isEqualTo(1);
    assertThat(doWait()).isFalse();
    assertThat(first + take()).isEqualTo(new String(all, StandardCharsets.US_ASCII));
  }

  @Test
  void print_thatNobodyTakes_losesTextAndNoEvents() {
    notices.print(text(8 * (ROOM + MOST_WITH_TEXT + 5)));
    assertThat(notices.waiting()).hasSize(MOST_WITH_TEXT - ROOM);

    notices.tell(Notices.EVENT, 0, 7);

    assertThat(notices.waiting()).hasSize(MOST_WITH_TEXT - ROOM + 1);
    assertThat(notices.waiting().getLast()).containsExactly(Notices.EVENT, 0, 7);
  }

  @Test
  void tell_ofMoreEventsThanThereAreObjects_endsTheSession() {
    for (int i = 0; i < ROOM + MOST; i++) {
      notices.tell(Notices.EVENT, 0, i);
    }

    assertThatThrownBy(() -> notices.tell(Notices.EVENT, 0, 1))
        .isInstanceOf(ProtocolException.class);
  }
}
