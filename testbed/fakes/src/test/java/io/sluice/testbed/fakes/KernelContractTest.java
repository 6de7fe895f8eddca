package io.sluice.testbed.fakes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the fake kernel and the real one answer alike. */
final class KernelContractTest {
  private static final long PAGE = 4096;

  private final Arena arena = Arena.ofConfined();
  private final FdList received = new FdList();

  static Stream<Kernel> kernels() {
    return Stream.of(new FakeKernel(), RealKernel.create());
  }

  @AfterEach
  void close() {
    received.closeAll();
    arena.close();
  }

  private static void assertErrno(ThrowingCallable call, Errno errno) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SyscallException.class,
            failure -> assertThat(failure.errno()).isEqualTo(errno.number()));
  }

  private MemorySegment bytes(String text) {
    byte[] ascii = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    return arena.allocate(ascii.length).copyFrom(MemorySegment.ofArray(ascii));
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void memory_writtenAndPunched_isSharedCountedAndZeroedAgain(Kernel kernel) {
    try (Fd fd = kernel.memfdCreate("m", 4 * PAGE);
        Fd twin = kernel.dup(fd);
        Mapping one = kernel.mmap(fd, 0, 4 * PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE);
        Mapping two = kernel.mmap(twin, PAGE, PAGE, Kernel.PROT_READ)) {
      assertThat(kernel.fstat(fd).allocatedBytes()).isZero();
      one.segment().set(Layouts.U32, PAGE + 4, 42);
      assertThat(two.segment().get(Layouts.U32, 4)).isEqualTo(42);
      assertThat(kernel.fstat(twin).allocatedBytes()).isEqualTo(PAGE);
      kernel.punchHole(fd, PAGE, PAGE);
      assertThat(two.segment().get(Layouts.U32, 4)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void memory_writtenAtAPlace_isSeenInMappingsAndNowhereElse(Kernel kernel) {
    try (Fd fd = kernel.memfdCreate("m", 4 * PAGE);
        Mapping mapping = kernel.mmap(fd, 0, 4 * PAGE, Kernel.PROT_READ)) {
      MemorySegment bytes = arena.allocate(PAGE + 3).fill((byte) 7);
      kernel.pwrite(fd, bytes, PAGE + 5);
      MemorySegment seen = mapping.segment();
      assertThat(seen.asSlice(PAGE + 5, bytes.byteSize()).mismatch(bytes)).isEqualTo(-1);
      assertThat(seen.get(Layouts.U8, PAGE + 4)).isZero();
      assertThat(seen.get(Layouts.U8, 2 * PAGE + 8)).isZero();
      kernel.pwrite(fd, arena.allocate(1).asSlice(0, 0), 0);
      assertErrno(() -> kernel.pwrite(fd, bytes, -1), Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void populate_whatIsThere_staysAndMayBeWritten(Kernel kernel) {
    try (Fd fd = kernel.memfdCreate("m", 4 * PAGE);
        Mapping mapping = kernel.mmap(fd, 0, 4 * PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE);
        Mapping other = kernel.mmap(fd, 0, 4 * PAGE, Kernel.PROT_READ)) {
      mapping.segment().set(Layouts.U32, PAGE + 4, 42);
      kernel.populate(mapping.segment().asSlice(PAGE, 2 * PAGE));
      mapping.segment().set(Layouts.U32, 2 * PAGE, 43);
      assertThat(other.segment().get(Layouts.U32, PAGE + 4)).isEqualTo(42);
      assertThat(other.segment().get(Layouts.U32, 2 * PAGE)).isEqualTo(43);
      MemorySegment crooked = mapping.segment().asSlice(1, PAGE);
      assertErrno(() -> kernel.populate(crooked), Errno.EINVAL);
      assertErrno(() -> kernel.populate(other.segment()), Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void isMapped_whereSomethingIs_andWhereNothingCanBe(Kernel kernel) {
    try (Fd fd = kernel.memfdCreate("m", PAGE);
        Mapping mapping = kernel.mmap(fd, 0, PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      long address = mapping.segment().address();
      assertThat(kernel.isMapped(address)).isTrue();
      assertThat(kernel.isMapped(address + PAGE - 1)).isTrue();
    }
    for (long nowhere : new long[] {0, 1, 4095, 1L << 47, Long.MIN_VALUE, -1}) {
      assertThat(kernel.isMapped(nowhere)).as("address %x", nowhere).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void seals_addedOnce_stayAndForbidMore(Kernel kernel) {
    try (Fd fd = kernel.memfdCreate("m", PAGE)) {
      kernel.addSeals(fd, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
      assertThat(kernel.getSeals(fd)).isEqualTo(Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
      assertErrno(() -> kernel.addSeals(fd, Kernel.F_SEAL_GROW), Errno.EPERM);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void badArguments_ofMemoryCalls_haveTheirErrno(Kernel kernel) {
    try (Fd fd = kernel.memfdCreate("m", PAGE);
        Fd event = kernel.eventfd(0, 0)) {
      assertErrno(() -> kernel.mmap(fd, 1, PAGE, Kernel.PROT_READ), Errno.EINVAL);
      assertErrno(() -> kernel.mmap(fd, 0, 0, Kernel.PROT_READ), Errno.EINVAL);
      assertErrno(() -> kernel.mmap(event, 0, PAGE, Kernel.PROT_READ), Errno.ENODEV);
      assertErrno(() -> kernel.punchHole(fd, 0, 0), Errno.EINVAL);
      assertErrno(() -> kernel.getSeals(event), Errno.EINVAL);
      assertErrno(() -> kernel.memfdCreate("m", -1), Errno.EINVAL);
      assertErrno(() -> kernel.adopt(1_000_000), Errno.EBADF);
      assertErrno(() -> kernel.open(Path.of("/nonexistent"), 0), Errno.ENOENT);
      assertErrno(() -> kernel.ioctl(fd, 0xC0406400L, arena.allocate(64)), Errno.ENOTTY);
      assertErrno(() -> kernel.eventfd(0, 1 << 4), Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void events_signalledDrainedAndPolled(Kernel kernel) {
    try (Fd event = kernel.eventfd(1, Kernel.NONBLOCK);
        Fd quiet = kernel.eventfd(0, 0)) {
      kernel.signal(event);
      short[] revents = new short[2];
      short[] wanted = {Kernel.POLLIN, Kernel.POLLIN};
      assertThat(kernel.poll(List.of(quiet, event), wanted, revents, -1)).isEqualTo(1);
      assertThat(revents).containsExactly((short) 0, Kernel.POLLIN);
      assertThat(kernel.drain(event)).isEqualTo(2);
      assertThat(kernel.drain(event)).isZero();
      assertThat(kernel.poll(List.of(quiet, event), wanted, revents, 1)).isZero();
      assertThat(kernel.isEventfd(event)).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void messages_withFds_arriveWithTheFirstByte(Kernel kernel) {
    List<Fd> pair = kernel.socketpair();
    try (Fd one = pair.get(0);
        Fd two = pair.get(1);
        Fd file = kernel.memfdCreate("m", 3 * PAGE)) {
      kernel.sendmsg(one, bytes("abcd"), List.of(file, file));
      MemorySegment into = arena.allocate(2);
      assertThat(kernel.recvmsg(two, into, received)).isEqualTo(2);
      assertThat(received.size()).isEqualTo(2);
      assertThat(kernel.fstat(received.get(0)).sizeBytes()).isEqualTo(3 * PAGE);
      assertThat(kernel.fstat(received.get(0)).inode()).isEqualTo(kernel.fstat(file).inode());
      assertThat(kernel.recvmsg(two, into, received)).isEqualTo(2);
      assertThat(received.size()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void messages_pipelined_areGluedUpToTheOneWithFds(Kernel kernel) {
    List<Fd> pair = kernel.socketpair();
    try (Fd one = pair.get(0);
        Fd two = pair.get(1);
        Fd file = kernel.memfdCreate("m", PAGE)) {
      kernel.sendmsg(one, bytes("ab"), List.of());
      kernel.sendmsg(one, bytes("cd"), List.of(file));
      kernel.sendmsg(one, bytes("ef"), List.of());
      MemorySegment into = arena.allocate(16);
      assertThat(kernel.recvmsg(two, into, received)).isEqualTo(4);
      assertThat(received.size()).isEqualTo(1);
      assertThat(kernel.recvmsg(two, into, received)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void sockets_whosePeerIsGone_endOrFail(Kernel kernel) {
    List<Fd> pair = kernel.socketpair();
    try (Fd two = pair.get(1)) {
      kernel.sendmsg(pair.get(0), bytes("x"), List.of());
      pair.get(0).close();
      MemorySegment into = arena.allocate(16);
      assertThat(kernel.recvmsg(two, into, received)).isEqualTo(1);
      assertThat(kernel.recvmsg(two, into, received)).isZero();
      assertErrno(() -> kernel.sendmsg(two, bytes("y"), List.of()), Errno.EPIPE);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void sockets_whosePeerWentWithoutReading_areResetOnce(Kernel kernel) {
    List<Fd> pair = kernel.socketpair();
    try (Fd two = pair.get(1)) {
      kernel.sendmsg(two, bytes("never read"), List.of());
      pair.get(0).close();
      MemorySegment into = arena.allocate(16);
      assertErrno(() -> kernel.recvmsg(two, into, received), Errno.ECONNRESET);
      assertThat(kernel.recvmsg(two, into, received)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void sockets_shutDown_endForBoth(Kernel kernel) {
    List<Fd> pair = kernel.socketpair();
    try (Fd one = pair.get(0);
        Fd two = pair.get(1)) {
      kernel.shutdown(one);
      assertThat(kernel.recvmsg(one, arena.allocate(4), received)).isZero();
      assertThat(kernel.recvmsg(two, arena.allocate(4), received)).isZero();
      assertErrno(() -> kernel.sendmsg(one, bytes("y"), List.of()), Errno.EPIPE);
      assertErrno(() -> kernel.sendmsg(two, bytes("y"), List.of()), Errno.EPIPE);
      short[] revents = new short[1];
      kernel.poll(List.of(two), new short[] {Kernel.POLLIN}, revents, -1);
      assertThat(revents[0] & Kernel.POLLHUP).isNotZero();
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void sockets_nonBlockingOrOfTheWrongKind_say(Kernel kernel) {
    List<Fd> pair = kernel.socketpair();
    try (Fd one = pair.get(0);
        Fd two = pair.get(1);
        Fd event = kernel.eventfd(0, 0)) {
      kernel.setNonBlocking(two);
      assertThat(kernel.recvmsg(two, arena.allocate(4), received)).isEqualTo(-1);
      assertErrno(() -> kernel.recvmsg(event, arena.allocate(4), received), Errno.ENOTSOCK);
      assertErrno(() -> kernel.peerCredentials(event), Errno.ENOTSOCK);
      assertErrno(() -> kernel.shutdown(event), Errno.ENOTSOCK);
      assertErrno(() -> kernel.accept(one), Errno.EINVAL);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void listeners_acceptInOrderAndRefuseASecondOne(Kernel kernel, @TempDir Path directory) {
    Path path = directory.resolve("s");
    assertErrno(() -> kernel.connect(path), Errno.ENOENT);
    try (Fd listener = kernel.listen(path, 2);
        Fd first = kernel.connect(path);
        Fd second = kernel.connect(path);
        Fd server = kernel.accept(listener)) {
      assertErrno(() -> kernel.listen(path, 1), Errno.EADDRINUSE);
      kernel.sendmsg(first, bytes("1"), List.of());
      kernel.sendmsg(second, bytes("2"), List.of());
      MemorySegment into = arena.allocate(4);
      assertThat(kernel.recvmsg(server, into, received)).isEqualTo(1);
      assertThat(into.get(Layouts.U8, 0)).isEqualTo((byte) '1');
      kernel.shutdown(listener);
      kernel.accept(listener).close(); // queued before the shutdown
      assertErrno(() -> kernel.accept(listener), Errno.EINVAL);
    }
  }
}
