package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.Held;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DEVICE_SET_IRQS. */
final class SetIrqsCommandTest extends ServerTest {
  private static final int NONE = 1;
  private static final int BOOL = 2;
  private static final int EVENTFD = 4;
  private static final int MASK = 8;
  private static final int UNMASK = 0x10;
  private static final int TRIGGER = 0x20;
  private static final int MSIX = 2;

  private final List<Fd> eventfds = new ArrayList<>();

  private Fd eventfd() {
    Fd fd = kernel.eventfd(0, Kernel.NONBLOCK);
    eventfds.add(fd);
    return fd;
  }

  private Fd[] eventfds(int count) {
    Fd[] fds = new Fd[count];
    for (int i = 0; i < count; i++) {
      fds[i] = eventfd();
    }
    return fds;
  }

  @AfterEach
  void closeEventfds() {
    eventfds.forEach(Fd::close);
  }

  private static byte[] set(int flags, int index, int start, int count) {
    return body(20, flags, index, start, count);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 19, 38, 100})
  void set_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 8, new byte[bytes]);
  }

  @Test
  void set_argszTooSmall_einval() {
    refused(Errno.EINVAL, 8, body(19, NONE | TRIGGER, MSIX, 0, 1));
    refused(Errno.EINVAL, 8, body(20, BOOL | TRIGGER, MSIX, 0, 1, new byte[1]));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 0x20, 0x23, 0x25, 0x26, 0x27, 0x31, 0x38, 0x39, 0x61, 0x80000021})
  void set_notOneDataAndOneAction_einval(int flags) {
    refused(Errno.EINVAL, 8, set(flags, MSIX, 0, 1));
  }

  @ParameterizedTest
  @CsvSource({
    "5, 0, 1",
    "-1, 0, 1",
    "2, 17, 1",
    "2, 16, 2",
    "2, -1, 1",
    "2, 0, -1",
    "2, 0, 18",
    "2, 0x7fffffff, 1",
    "2, 5, 0",
    "0, 0, 1",
    "1, 0, 1",
    "3, 0, 1",
    "4, 0, 1",
  })
  void set_noSuchInterrupts_einval(String index, String start, String count) {
    byte[] request =
        set(NONE | TRIGGER, Integer.decode(index), Integer.decode(start), Integer.decode(count));
    refused(Errno.EINVAL, 8, request);
  }

  @Test
  void set_emptyRangeWithEventfdOrBool_einval() {
    refused(Errno.EINVAL, 8, set(EVENTFD | TRIGGER, MSIX, 0, 0));
    refused(Errno.EINVAL, 8, set(BOOL | TRIGGER, MSIX, 0, 0));
    refused(Errno.EINVAL, 8, set(NONE | MASK, MSIX, 0, 0));
  }

  @Test
  void set_boolOfWrongLength_einval() {
    refused(Errno.EINVAL, 8, body(24, BOOL | TRIGGER, MSIX, 0, 4, new byte[3]));
    refused(Errno.EINVAL, 8, body(24, BOOL | TRIGGER, MSIX, 0, 4, new byte[5]));
  }

  @Test
  void set_dataBehindNone_einval() {
    refused(Errno.EINVAL, 8, body(24, NONE | TRIGGER, MSIX, 0, 1, 0));
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 1", "3, 1", "1, 16"})
  void set_descriptorsThatDoNotMatchTheCount_einval(int count, int fds) {
    refused(Errno.EINVAL, 8, set(EVENTFD | TRIGGER, MSIX, 0, count), eventfds(fds));
  }

  @Test
  void set_descriptorWithNoneOrBool_einval() {
    refused(Errno.EINVAL, 8, set(NONE | TRIGGER, MSIX, 0, 1), eventfd());
    refused(Errno.EINVAL, 8, body(21, BOOL | TRIGGER, MSIX, 0, 1, new byte[1]), eventfd());
  }

  @Test
  void set_descriptorThatIsNoEventfd_einvalAndTheOthersAreNotUsed() {
    try (Fd memory = kernel.memfdCreate("no-eventfd", 4096)) {
      Fd good = eventfd();
      refused(Errno.EINVAL, 8, set(EVENTFD | TRIGGER, MSIX, 0, 2), good, memory);
      session.vectors().raise(0);
      assertThat(kernel.drain(good)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {NONE | MASK, NONE | UNMASK, EVENTFD | MASK, EVENTFD | UNMASK})
  void set_maskOrUnmask_enotty(int flags) {
    refused(Errno.ENOTTY, 8, set(flags, MSIX, 0, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void set_disableOfAnyKind_succeeds(int index) {
    client.ok(8, set(NONE | TRIGGER, index, 0, 0));
  }

  @Test
  void set_assign_deliversToEachVector() {
    Fd[] fds = eventfds(16);
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 0, 16), fds);
    Fd last = eventfd();
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 16, 1), last);
    for (int vector = 0; vector < 17; vector++) {
      session.vectors().raise(vector);
    }
    for (Fd fd : fds) {
      assertThat(kernel.drain(fd)).isEqualTo(1);
    }
    assertThat(kernel.drain(last)).isEqualTo(1);
  }

  @Test
  void set_assignAgain_replacesAndClosesTheFirst() {
    Fd first = eventfd();
    Fd second = eventfd();
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 3, 1), first);
    int open = Held.now().fds().size();
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 3, 1), second);
    assertThat(Held.now().fds()).hasSize(open);
    session.vectors().raise(3);
    assertThat(kernel.drain(first)).isZero();
    assertThat(kernel.drain(second)).isEqualTo(1);
  }

  @Test
  void set_eventfdWithoutDescriptors_deassigns() {
    Fd fd = eventfd();
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 1, 1), fd);
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 0, 4));
    session.vectors().raise(1);
    assertThat(kernel.drain(fd)).isZero();
  }

  @Test
  void set_disable_takesAllAwayAndKeepsWhatIsRaisedPending() {
    Fd fd = eventfd();
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 1, 1), fd);
    client.ok(8, set(NONE | TRIGGER, MSIX, 0, 0));
    session.vectors().raise(1);
    assertThat(kernel.drain(fd)).isZero();
    assertThat(client.read32(0, 0x2000)).isEqualTo(2); // pending-bit array
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 1, 1), fd);
    assertThat(kernel.drain(fd)).isEqualTo(1);
    assertThat(client.read32(0, 0x2000)).isZero();
  }

  @Test
  void set_triggerByNone_firesTheRange() {
    Fd[] fds = eventfds(3);
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 0, 3), fds);
    client.ok(8, set(NONE | TRIGGER, MSIX, 1, 2));
    assertThat(kernel.drain(fds[0])).isZero();
    assertThat(kernel.drain(fds[1])).isEqualTo(1);
    assertThat(kernel.drain(fds[2])).isEqualTo(1);
  }

  @Test
  void set_triggerByBool_firesTheChosen() {
    Fd[] fds = eventfds(3);
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 0, 3), fds);
    client.ok(8, body(23, BOOL | TRIGGER, MSIX, 0, 3, new byte[] {1, 0, 7}));
    assertThat(kernel.drain(fds[0])).isEqualTo(1);
    assertThat(kernel.drain(fds[1])).isZero();
    assertThat(kernel.drain(fds[2])).isEqualTo(1);
  }

  /** A guest must not be able to hold up a thread that serves others too. */
  @Test
  void set_blockingEventfdThatIsFull_neverBlocksWhoRaises() {
    Fd full = kernel.eventfd(0, 0);
    eventfds.add(full);
    try (Arena arena = Arena.ofConfined()) {
      kernel.write(full, arena.allocateFrom(Layouts.U64, -2L));
    }
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 1, 1), full);
    session.vectors().raise(1);
    session.vectors().raise(1);
    assertThat(kernel.drain(full)).isEqualTo(-1L); // where the kernel's own signals stop
  }

  @Test
  void hold_thenRelease_firesEveryEnabledVectorOnce() {
    Fd[] fds = eventfds(2);
    client.ok(8, set(EVENTFD | TRIGGER, MSIX, 0, 2), fds);
    session.vectors().hold();
    session.vectors().raise(1);
    session.vectors().raise(1);
    assertThat(kernel.drain(fds[1])).isZero();
    session.vectors().release();
    assertThat(kernel.drain(fds[0])).isEqualTo(1);
    assertThat(kernel.drain(fds[1])).isEqualTo(1);
  }
}
