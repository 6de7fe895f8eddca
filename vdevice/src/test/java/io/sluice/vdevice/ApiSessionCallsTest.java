package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.testbed.checks.Held;
import io.sluice.vdevice.dma.GuestRange;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.CarriedSession;
import io.sluice.vdevice.session.MachineSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** API sessions of a machine, with everything a guest may get wrong, and a host that ends. */
final class ApiSessionCallsTest extends CallTest {
  private static final long MEMORY = 0x4000_0000L;
  private static final long MEMORY_BYTES = 2L << 20;
  private static final long LEAST = GuestAbi.API_SEGMENT_LEAST;
  private static final int OPENCL = GuestAbi.API_OPENCL;

  private final FakeSessions host = new FakeSessions(kernel);
  private Mapping memory;

  @Override
  Optional<ApiSessions> sessions() {
    return Optional.of(host);
  }

  /** More memory, at the second page of its file. */
  @BeforeEach
  void share() {
    try (Fd file = kernel.memfdCreate("memory", MEMORY_BYTES + 4096)) {
      client.ok(2, body(32, 3, 4096L, MEMORY, MEMORY_BYTES), file);
      memory = kernel.mmap(file, 4096, MEMORY_BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE);
    }
  }

  @AfterEach
  void forget() {
    memory.close();
  }

  private void list(long... words) {
    for (int i = 0; i < words.length; i++) {
      ram.setAtIndex(ValueLayout.JAVA_LONG, i, words[i]);
    }
  }

  private int open() {
    list(MEMORY + 0x1000, LEAST);
    return word(succeed(GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0), 0x18);
  }

  private int stateWord() {
    return memory.segment().get(ValueLayout.JAVA_INT, 0x1000 + GuestAbi.API_STATE);
  }

  @Test
  void device_withSessions_saysSo() {
    int capabilities = client.read32(GuestAbi.BAR_REGISTERS, GuestAbi.REG_CAPS_LO);
    assertThat(capabilities & GuestAbi.CAP_API_SESSIONS).isNotZero();
  }

  @Test
  void open_extentsInTwoMaps_namesTheFilesPieces() {
    list(MEMORY + 0x1000, LEAST - 0x2000, RAM + 0x4000, 0x1000, RAM + 0x5000, 0x1000);
    int handle = word(succeed(GuestAbi.CALL_API_OPEN, OPENCL, 3, LEAST, RAM, 0, 0), 0x18);
    assertThat(handle).isEqualTo(1);
    SessionMemory first = host.opened.getFirst().segments.getFirst();
    assertThat(first.files()).hasSize(2);
    assertThat(first.pieces())
        .containsExactly(
            new SessionMemory.FileRange(0, 0x2000, LEAST - 0x2000),
            new SessionMemory.FileRange(1, 0x4000, 0x2000));
    assertThat(first.bytes()).isEqualTo(LEAST);
  }

  @Test
  void open_pagesInOneFileByTwoMaps_isOnePiece() {
    long second = MEMORY + MEMORY_BYTES;
    try (Fd file = kernel.memfdCreate("two", 2 * LEAST)) {
      client.ok(2, body(32, 3, 0L, second, LEAST - 4096), file);
      client.ok(2, body(32, 3, LEAST - 4096, second + LEAST - 4096, 8192L), file);
    }
    list(second, LEAST - 4096, second + LEAST - 4096, 4096);
    succeed(GuestAbi.CALL_API_OPEN, OPENCL, 2, LEAST, RAM, 0, 0);
    SessionMemory first = host.opened.getFirst().segments.getFirst();
    assertThat(first.files()).hasSize(1);
    assertThat(first.pieces()).containsExactly(new SessionMemory.FileRange(0, 0, LEAST));
  }

  @Test
  void segment_onePieceMoreThanASegmentMayHave_isRefused() {
    int most = SessionMemory.MAX_PIECES;
    long at = MEMORY + MEMORY_BYTES;
    try (Fd file = kernel.memfdCreate("pages", 4096L * (most + 1))) {
      for (int i = 0; i <= most; i++) { // the other way round: none follows the one before
        client.ok(2, body(32, 3, 4096L * (most - i), at + 4096L * i, 4096L), file);
      }
    }
    int handle = open();
    list(at, 4096L * (most + 1));
    refuse(Errno.EDQUOT, GuestAbi.CALL_API_SEGMENT, handle, 1, 1, 0, 4096L * (most + 1), RAM);
    list(at, 4096L * most);
    succeed(GuestAbi.CALL_API_SEGMENT, handle, 1, 1, 0, 4096L * most, RAM);
    assertThat(host.opened.getFirst().segments.getLast().pieces()).hasSize(most);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0x49000, EINVAL",
    "257, 0x49000, EINVAL",
    "-1, 0x49000, EINVAL",
    "1, 0, EINVAL",
    "1, 0x48000, EINVAL",
    "1, 0x4a000, EINVAL",
    "1, -1, EINVAL",
    "2, 0x49000, EINVAL",
  })
  void open_countOrBytesThatAreNot_isRefused(String count, String bytes, String errno) {
    list(MEMORY, LEAST, 0, 0);
    int counted = Long.decode(count).intValue();
    refuse(
        Errno.valueOf(errno),
        GuestAbi.CALL_API_OPEN,
        OPENCL,
        counted,
        Long.decode(bytes),
        RAM,
        0,
        0);
    assertThat(host.opened).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0x40000800, 0x49000, EINVAL",
    "0x40000000, 0x49001, EINVAL",
    "0x50000000, 0x49000, EFAULT",
    "0x401ff000, 0x49000, EFAULT",
    "0xfffffffffffff000, 0x49000, EFAULT",
    "0x40000000, 0x8000000000000000, EINVAL",
  })
  void open_extentThatIsNone_isRefused(String iova, String bytes, String errno) {
    list(parse(iova), parse(bytes));
    Map<Integer, String> before = Held.now().fds();
    refuse(Errno.valueOf(errno), GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0);
    assertThat(Held.now().fds()).isEqualTo(before);
    assertThat(host.opened).isEmpty();
  }

  private static long parse(String hex) {
    return Long.parseUnsignedLong(hex.substring(2), 16);
  }

  @Test
  void open_memoryThatOnlyMayBeRead_isRefused() {
    try (Fd file = kernel.memfdCreate("readable", LEAST)) {
      client.ok(2, body(32, 1, 0L, 0x6000_0000L, LEAST), file);
    }
    list(0x6000_0000L, LEAST);
    refuse(Errno.EFAULT, GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0);
  }

  @Test
  void open_wordThatMustBeZero_isRefused() {
    refuse(Errno.EINVAL, GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 1);
    refuse(Errno.EINVAL, GuestAbi.CALL_API_SEGMENT, open(), 1, 1, 7, 4096L, RAM);
  }

  @Test
  void open_hostRefuses_guestHearsIt() {
    host.refuses = true;
    list(MEMORY, LEAST);
    refuse(Errno.EAGAIN, GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0);
    assertThat(session.apiSessions()).isZero();
  }

  @Test
  void open_moreThanMay_isRefusedUntilOneIsClosed() {
    for (int i = 1; i <= GuestAbi.MAX_API_SESSIONS; i++) {
      assertThat(open()).isEqualTo(i);
    }
    refuse(Errno.EDQUOT, GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0);
    succeed(GuestAbi.CALL_API_CLOSE, 17, 0);
    assertThat(open()).isEqualTo(17);
  }

  @Test
  void open_whileOneThatWasClosedIsStillThere_itsPlaceIsTaken() {
    for (int i = 0; i < GuestAbi.MAX_API_SESSIONS; i++) {
      assertThat(open()).isEqualTo(i + 1);
    }
    host.opened.getFirst().stays = true;
    succeed(GuestAbi.CALL_API_CLOSE, 1, 0);
    refuse(Errno.EDQUOT, GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0);
    host.opened.getFirst().stays = false;
    assertThat(open()).isEqualTo(1);
  }

  @Test
  void reset_withSessionsThatStay_theirPlacesAreTaken() {
    for (int i = 0; i < GuestAbi.MAX_API_SESSIONS; i++) {
      int _ = open();
    }
    MachineSessions sessions = session.sessions().orElseThrow();
    host.opened.forEach(session -> session.stays = true);
    sessions.closeAll();
    assertThat(sessions.count()).isZero();
    refuse(Errno.EDQUOT, GuestAbi.CALL_API_OPEN, OPENCL, 1, LEAST, RAM, 0, 0);
    host.opened.forEach(session -> session.stays = false);
    assertThat(open()).isEqualTo(1);
  }

  @Test
  void segment_manyExtents_areLimitedOverAllSessions() {
    int handle = open();
    long[] words = new long[2 * GuestAbi.MAX_EXTENTS];
    for (int i = 0; i < GuestAbi.MAX_EXTENTS; i++) {
      words[2 * i] = MEMORY;
      words[2 * i + 1] = 4096;
    }
    list(words);
    long bytes = GuestAbi.MAX_EXTENTS * 4096L;
    for (int index = 1; index < GuestAbi.MAX_API_SEGMENTS; index++) {
      succeed(GuestAbi.CALL_API_SEGMENT, handle, index, GuestAbi.MAX_EXTENTS, 0, bytes, RAM);
    }
    int other =
        word(
            succeed(
                GuestAbi.CALL_API_OPEN, OPENCL, GuestAbi.MAX_EXTENTS - 1, bytes - 4096, RAM, 0, 0),
            0x18);
    refuse(Errno.EDQUOT, GuestAbi.CALL_API_SEGMENT, other, 1, 1, 0, 4096L, RAM);
  }

  @Test
  void segment_indexThatIsTakenOrNone_isRefused() {
    int handle = open();
    list(MEMORY, 4096);
    succeed(GuestAbi.CALL_API_SEGMENT, handle, 63, 1, 0, 4096L, RAM);
    refuse(Errno.EEXIST, GuestAbi.CALL_API_SEGMENT, handle, 63, 1, 0, 4096L, RAM);
    refuse(Errno.EINVAL, GuestAbi.CALL_API_SEGMENT, handle, 0, 1, 0, 4096L, RAM);
    refuse(Errno.EINVAL, GuestAbi.CALL_API_SEGMENT, handle, 64, 1, 0, 4096L, RAM);
    refuse(Errno.EINVAL, GuestAbi.CALL_API_SEGMENT, handle, -1, 1, 0, 4096L, RAM);
    assertThat(host.opened.getFirst().segments).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 64, 65, -1, Integer.MIN_VALUE})
  void call_handleThatIsNone_isRefused(int handle) {
    assertThat(open()).isEqualTo(1);
    refuse(Errno.ENOENT, GuestAbi.CALL_API_CLOSE, handle, 0);
    refuse(Errno.ENOENT, GuestAbi.CALL_API_SEGMENT, handle, 1, 1, 0, 4096L, RAM);
    client.write32(GuestAbi.BAR_REGISTERS, GuestAbi.REG_API_DOORBELL, handle);
    assertGoesOn();
    assertThat(kernel.drain(host.opened.getFirst().doorbell)).isZero();
  }

  @Test
  void doorbell_ofASession_ringsItsHost() {
    int handle = open();
    client.write32(GuestAbi.BAR_REGISTERS, GuestAbi.REG_API_DOORBELL, handle);
    assertGoesOn();
    int ready =
        kernel.poll(
            List.of(host.opened.getFirst().doorbell),
            new short[] {Kernel.POLLIN},
            new short[1],
            60_000);
    assertThat(ready).isEqualTo(1);
  }

  @Test
  void host_notifies_guestIsInterrupted() {
    open();
    kernel.drain(vectorZero);
    kernel.signal(host.opened.getFirst().notify);
    awaitVectorZero();
  }

  @Test
  void host_dies_sessionsStateSaysSo() {
    int handle = open();
    host.opened.getFirst().ended.accept(Errno.EPIPE);
    assertThat(stateWord()).isEqualTo(Errno.EPIPE.number());
    succeed(GuestAbi.CALL_API_CLOSE, handle, 0);
    assertThat(host.opened.getFirst().closed).isTrue();
  }

  @Test
  void close_sessionThatIsBusy_isAskedForAgain() {
    int handle = open();
    host.opened.getFirst().busy = true;
    refuse(Errno.EAGAIN, GuestAbi.CALL_API_CLOSE, handle, 0);
    assertThat(host.opened.getFirst().closed).isFalse();
    assertThat(session.apiSessions()).isEqualTo(1);
    host.opened.getFirst().busy = false;
    succeed(GuestAbi.CALL_API_CLOSE, handle, 0);
    assertThat(session.apiSessions()).isZero();
  }

  @Test
  void host_saysSoAfterTheClose_memoryIsLeftAlone() {
    succeed(GuestAbi.CALL_API_CLOSE, open(), 0);
    host.opened.getFirst().ended.accept(Errno.EPIPE);
    assertThat(stateWord()).isZero();
  }

  @Test
  void unmap_ofASessionsMemory_endsItFirst() {
    int handle = open();
    client.ok(3, body(24, 0, MEMORY, MEMORY_BYTES));
    assertThat(host.opened.getFirst().closed).isTrue();
    assertThat(stateWord()).isEqualTo(Errno.EFAULT.number());
    list(RAM, 4096);
    refuse(Errno.EPIPE, GuestAbi.CALL_API_SEGMENT, handle, 1, 1, 0, 4096L, RAM);
    succeed(GuestAbi.CALL_API_CLOSE, handle, 0);
  }

  @Test
  void unmap_ofOtherMemory_leavesSessions() {
    open();
    try (Fd file = kernel.memfdCreate("other", 4096)) {
      client.ok(2, body(32, 3, 0L, 0x6000_0000L, 4096L), file);
    }
    client.ok(3, body(24, 0, 0x6000_0000L, 4096L));
    assertThat(host.opened.getFirst().closed).isFalse();
  }

  @Test
  void reset_endsSessions() {
    open();
    client.ok(13, new byte[0]);
    assertThat(host.opened.getFirst().closed).isTrue();
    assertThat(session.apiSessions()).isZero();
  }

  @Test
  void hold_withSessions_isRefusedAndCallsGoOn() {
    int handle = open();
    assertThatThrownBy(session.held()::hold)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    succeed(GuestAbi.CALL_API_CLOSE, handle, 0);
    session.held().hold();
    session.held().release();
  }

  // ---- with a machine that moves ----

  private MachineSessions moving() {
    return session.sessions().orElseThrow();
  }

  private static ImmutableList<GuestRange> ranges(long at, long bytes) {
    return ImmutableList.of(new GuestRange(new Iova(at), bytes));
  }

  private void arrive(int handle) {
    try (Fd stream = kernel.eventfd(0, 0)) {
      moving().arrive(handle, OPENCL, ranges(MEMORY + 0x1000, LEAST), stream);
    }
  }

  @Test
  void hold_sessionsThatAreTakenAlong_areNoObstacle() {
    open();
    Object carrier = new Object();
    assertThat(moving().carry(carrier)).isTrue();
    assertThat(moving().carry(new Object())).isFalse();
    session.held().hold();
    session.held().release();
    moving().putDown(new Object());
    assertThat(moving().isCarried()).isTrue();
    moving().putDown(carrier);
    assertThat(open()).isEqualTo(2);
    assertThatThrownBy(session.held()::hold).isInstanceOf(RefusedException.class);
  }

  @Test
  void carried_pagesOfASession_areWhereTheGuestHasThem() {
    list(MEMORY + 0x1000, LEAST - 0x2000, RAM + 0x4000, 0x2000);
    succeed(GuestAbi.CALL_API_OPEN, OPENCL, 2, LEAST, RAM, 0, 0);
    CarriedSession first = moving().carried().getFirst();
    assertThat(first.locate(List.of(new ApiSessions.WrittenPages(0, LEAST - 0x3000, 0x3000))))
        .containsExactly(
            new GuestRange(new Iova(MEMORY + 0x1000 + LEAST - 0x3000), 0x1000),
            new GuestRange(new Iova(RAM + 0x4000), 0x2000));
    assertThat(first.locate(List.of(new ApiSessions.WrittenPages(0, LEAST, 0x1000)))).isEmpty();
    assertThat(first.locate(List.of(new ApiSessions.WrittenPages(1, 0, 0x1000)))).isEmpty();
    assertThat(moving().words()).containsExactly(new GuestRange(new Iova(MEMORY + 0x1000), 0x1000));
  }

  /** As a session host says that wants the daemon to keep much. */
  @Test
  void carried_pagesThatAreNamedAgainAndAgain_areFoundOnce() {
    list(MEMORY + 0x1000, LEAST - 0x2000, RAM + 0x4000, 0x2000);
    succeed(GuestAbi.CALL_API_OPEN, OPENCL, 2, LEAST, RAM, 0, 0);
    CarriedSession first = moving().carried().getFirst();
    List<ApiSessions.WrittenPages> named = new ArrayList<>();
    for (int i = 0; i < 2048; i++) {
      named.add(new ApiSessions.WrittenPages(0, 0x1000L * (i % 3), LEAST));
    }
    assertThat(first.locate(named))
        .containsExactly(
            new GuestRange(new Iova(MEMORY + 0x1000), LEAST - 0x2000),
            new GuestRange(new Iova(RAM + 0x4000), 0x2000));
    assertThat(
            first.locate(
                List.of(
                    new ApiSessions.WrittenPages(0, 0x3000, 0x1000),
                    new ApiSessions.WrittenPages(0, 0x1000, 0x1000),
                    new ApiSessions.WrittenPages(0, 0x1800, 0x800))))
        .containsExactly(
            new GuestRange(new Iova(MEMORY + 0x2000), 0x1000),
            new GuestRange(new Iova(MEMORY + 0x4000), 0x1000));
  }

  @Test
  void arrive_whereIsNoMemoryOrNoHandle_isRefused() {
    try (Fd stream = kernel.eventfd(0, 0)) {
      for (int handle : new int[] {0, -1, 65}) {
        assertThatThrownBy(
                () -> moving().arrive(handle, OPENCL, ranges(MEMORY + 0x1000, LEAST), stream))
            .isInstanceOf(RefusedException.class);
      }
      assertThatThrownBy(
              () -> moving().arrive(1, OPENCL, ranges(MEMORY + MEMORY_BYTES, LEAST), stream))
          .isInstanceOf(RefusedException.class);
    }
    assertThatThrownBy(() -> moving().arriveSegment(1, 1, ranges(MEMORY, 4096)))
        .isInstanceOf(RefusedException.class);
    assertThat(host.opened).isEmpty();
  }

  @Test
  void arrive_again_endsTheOneBefore() {
    arrive(3);
    arrive(3);
    assertThat(host.opened).hasSize(2);
    assertThat(host.opened.getFirst().closed).isTrue();
    assertThat(host.opened.getLast().closed).isFalse();
  }

  @Test
  void goOn_thoseThatAreNamed_goOnAndOthersEnd() {
    arrive(3);
    arrive(5);
    moving().arriveSegment(5, 1, ranges(RAM + 0x4000, 0x1000));
    moving().goOn(Set.of(5));
    assertThat(host.opened.getFirst().closed).isTrue();
    assertThat(host.opened.getLast().closed).isFalse();
    assertThat(host.opened.getLast().segments).hasSize(2);
    assertThat(stateWord()).isZero();
    assertThat(open()).isEqualTo(1);
  }

  @Test
  void goOn_oneThatDidNotComeAfterAll_guestIsTold() {
    arrive(3);
    host.opened.getFirst().close();
    moving().goOn(Set.of(3));
    assertThat(stateWord()).isEqualTo(Errno.EPIPE.number());
  }
}
