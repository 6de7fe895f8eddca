package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import io.sluice.testbed.checks.Held;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RealKernelSocketsTest {
  private final Kernel kernel = RealKernel.create();
  private final Arena arena = Arena.ofConfined();
  private final FdList received = new FdList();
  private List<Fd> pair = List.of();

  @BeforeEach
  void connect() {
    pair = kernel.socketpair();
  }

  @AfterEach
  void close() {
    received.closeAll();
    pair.forEach(Fd::close);
    arena.close();
  }

  private static void assertErrno(Throwable thrown, Errno errno) {
    assertThat(thrown).isInstanceOf(SyscallException.class);
    assertThat(((SyscallException) thrown).errno()).isEqualTo(errno.number());
  }

  private MemorySegment bytes(int... values) {
    MemorySegment segment = arena.allocate(values.length);
    for (int i = 0; i < values.length; i++) {
      segment.set(Layouts.U8, i, (byte) values[i]);
    }
    return segment;
  }

  @Test
  void recvmsg_withoutFds_bytesOnly() {
    kernel.sendmsg(pair.get(0), bytes(1, 2, 3), List.of());
    MemorySegment into = arena.allocate(16);
    assertThat(kernel.recvmsg(pair.get(1), into, received)).isEqualTo(3);
    assertThat(into.get(Layouts.U8, 2)).isEqualTo((byte) 3);
    assertThat(received.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16})
  void recvmsg_severalFdsInOneMessage_allArriveInOrderAndCloseOnExec(int count) throws IOException {
    List<Fd> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(kernel.memfdCreate("fd" + i, 4096L * (i + 1)));
    }
    kernel.sendmsg(pair.get(0), bytes(7), sent);
    sent.forEach(Fd::close);

    assertThat(kernel.recvmsg(pair.get(1), arena.allocate(16), received)).isEqualTo(1);

    assertThat(received.size()).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      assertThat(kernel.fstat(received.get(i)).sizeBytes()).isEqualTo(4096L * (i + 1));
      Path info = Path.of("/proc/self/fdinfo/" + received.get(i).number());
      int flags = 0;
      for (String line : Files.readAllLines(info)) {
        if (line.startsWith("flags:")) {
          flags = Integer.parseInt(line.substring(6).trim(), 8);
        }
      }
      assertThat(flags & 0x80000).as("O_CLOEXEC").isNotZero();
    }
  }

  @Test
  void recvmsg_seventeenFds_emsgsizeAndNoneLeft() throws IOException {
    // The seam sends at most 16, so the peer that breaks the rule is made of the calls below it.
    Map<Integer, String> before = Held.now().fds();
    try (Fd shared = kernel.memfdCreate("many", 4096)) {
      RawSender.send(pair.get(0), bytes(1), Collections.nCopies(17, shared));
      assertThatThrownBy(() -> kernel.recvmsg(pair.get(1), arena.allocate(16), received))
          .satisfies(thrown -> assertErrno(thrown, Errno.EMSGSIZE));
    }
    assertThat(received.size()).isZero();
    assertThat(Held.now().fds()).isEqualTo(before);
  }

  /**
   * The kernel would close those that are left, within the call, and wait for what they wait for.
   */
  @ParameterizedTest
  @ValueSource(ints = {17, 253})
  void recvmsg_moreFdsThanOneMessageMayCarry_allAreTheCustodysToClose(int count)
      throws IOException {
    Map<Integer, String> before = Held.now().fds();
    List<Fd> closed = new ArrayList<>();
    FdList kept = new FdList(fd -> new Fd(fd.number(), _ -> closed.add(fd)));
    try (Fd shared = kernel.memfdCreate("many", 4096)) {
      RawSender.send(pair.get(0), bytes(1), Collections.nCopies(count, shared));
    }
    assertThatThrownBy(() -> kernel.recvmsg(pair.get(1), arena.allocate(16), kept))
        .satisfies(thrown -> assertErrno(thrown, Errno.EMSGSIZE));
    assertThat(kept.size()).isZero();
    assertThat(closed).hasSize(count).allMatch(Fd::isOpen);
    closed.forEach(Fd::close);
    assertThat(Held.now().fds()).isEqualTo(before);
  }

  @Test
  void recvmsg_fdsInTwoControlMessages_allArrive() {
    try (Fd one = kernel.memfdCreate("one", 4096);
        Fd two = kernel.memfdCreate("two", 8192)) {
      RawSender.sendInTwo(pair.get(0), bytes(1), one, two);
      kernel.recvmsg(pair.get(1), arena.allocate(16), received);
    }
    assertThat(received.size()).isEqualTo(2);
    assertThat(kernel.fstat(received.get(1)).sizeBytes()).isEqualTo(8192);
  }

  @Test
  void recvmsg_headerThenBody_fdsComeWithTheFirstByte() {
    try (Fd file = kernel.memfdCreate("body", 4096)) {
      kernel.sendmsg(pair.get(0), bytes(1, 2, 3, 4), List.of(file));
    }
    assertThat(kernel.recvmsg(pair.get(1), arena.allocate(2), received)).isEqualTo(2);
    assertThat(received.size()).isEqualTo(1);
    assertThat(kernel.recvmsg(pair.get(1), arena.allocate(2), received)).isEqualTo(2);
    assertThat(received.size()).isEqualTo(1);
  }

  @Test
  void recvmsg_peerClosed_returnsZero() {
    pair.get(0).close();
    assertThat(kernel.recvmsg(pair.get(1), arena.allocate(16), received)).isZero();
  }

  @Test
  void recvmsg_nonBlockingAndNothingThere_returnsMinusOne() {
    kernel.setNonBlocking(pair.get(1));
    assertThat(kernel.recvmsg(pair.get(1), arena.allocate(16), received)).isEqualTo(-1);
  }

  @Test
  void recvmsg_notASocket_enotsock() {
    try (Fd file = kernel.memfdCreate("file", 4096)) {
      assertThatThrownBy(() -> kernel.recvmsg(file, arena.allocate(16), received))
          .satisfies(thrown -> assertErrno(thrown, Errno.ENOTSOCK));
    }
  }

  @Test
  void recvmsg_emptyBuffer_throwsBecauseZeroMeansClosed() {
    assertThatThrownBy(() -> kernel.recvmsg(pair.get(1), MemorySegment.NULL, received))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sendmsg_peerClosed_epipe() {
    pair.get(1).close();
    assertThatThrownBy(() -> kernel.sendmsg(pair.get(0), bytes(1), List.of()))
        .satisfies(thrown -> assertErrno(thrown, Errno.EPIPE));
  }

  @Test
  void sendmsg_moreFdsThanLinuxCarries_throwsBeforeSending() {
    kernel.setNonBlocking(pair.get(1));
    try (Fd shared = kernel.memfdCreate("many", 4096)) {
      assertThatThrownBy(
              () -> kernel.sendmsg(pair.get(0), bytes(1), Collections.nCopies(254, shared)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(kernel.recvmsg(pair.get(1), arena.allocate(16), received)).isEqualTo(-1);
  }

  @Test
  void sendmsg_moreThanTheSocketHolds_goesOnUntilAllBytesAreGone() throws InterruptedException {
    long size = 4L << 20;
    kernel.setNonBlocking(pair.get(0));
    MemorySegment data = Arena.ofAuto().allocate(size);
    for (long at = 0; at < size; at += 8) {
      data.set(Layouts.U64, at, at);
    }
    Thread sender = new Thread(() -> kernel.sendmsg(pair.get(0), data, List.of()), "sender");
    sender.start();
    MemorySegment into = arena.allocate(size, 8);
    long got = 0;
    while (got < size) {
      got += kernel.recvmsg(pair.get(1), into.asSlice(got), received);
    }
    sender.join();
    assertThat(into.mismatch(data)).isEqualTo(-1);
  }

  @Test
  void shutdown_whileAnotherThreadReceives_wakesIt() throws InterruptedException {
    long[] result = {-7};
    Thread receiver =
        new Thread(
            () -> result[0] = kernel.recvmsg(pair.get(1), Arena.ofAuto().allocate(8), received),
            "receiver");
    receiver.start();
    kernel.shutdown(pair.get(1));
    receiver.join();
    assertThat(result[0]).isZero();
  }

  @Test
  void connectDatagram_nobodyThere_enoent(@TempDir Path directory) {
    assertThatThrownBy(() -> kernel.connectDatagram(directory.resolve("s").toString()))
        .satisfies(thrown -> assertErrno(thrown, Errno.ENOENT));
    assertThatThrownBy(() -> kernel.connectDatagram("@sluice-nobody-" + directory))
        .satisfies(thrown -> assertErrno(thrown, Errno.ECONNREFUSED));
    assertThatThrownBy(() -> kernel.connectDatagram("@" + "x".repeat(108)))
        .satisfies(thrown -> assertErrno(thrown, Errno.ENAMETOOLONG));
  }

  @Test
  void connectDatagram_aStreamSocket_eprototype(@TempDir Path directory) {
    Path path = directory.resolve("s");
    try (Fd listener = kernel.listen(path, 1)) {
      assertThat(listener.isOpen()).isTrue();
      assertThatThrownBy(() -> kernel.connectDatagram(path.toString()))
          .satisfies(thrown -> assertErrno(thrown, Errno.EPROTOTYPE));
    }
  }

  @Test
  void shutdown_notConnected_isNoFailure(@TempDir Path directory) {
    try (Fd listener = kernel.listen(directory.resolve("s"), 1)) {
      kernel.shutdown(listener);
    }
  }

  @Test
  void connectAndAccept_sameProcess_credentialsAreOurs(@TempDir Path directory) {
    Path path = directory.resolve("s");
    try (Fd listener = kernel.listen(path, 1);
        Fd client = kernel.connect(path);
        Fd server = kernel.accept(listener)) {
      PeerCredentials peer = kernel.peerCredentials(server);
      assertThat(peer.pid()).isEqualTo((int) ProcessHandle.current().pid());
      kernel.sendmsg(client, bytes(9), List.of());
      assertThat(kernel.recvmsg(server, arena.allocate(4), received)).isEqualTo(1);
    }
  }

  @Test
  void listen_pathInUse_eaddrinuse(@TempDir Path directory) {
    Path path = directory.resolve("s");
    try (Fd listener = kernel.listen(path, 1)) {
      assertThat(listener.isOpen()).isTrue();
      assertThatThrownBy(() -> kernel.listen(path, 1))
          .satisfies(thrown -> assertErrno(thrown, Errno.EADDRINUSE));
    }
  }

  @Test
  void listen_pathTooLong_enametoolong() {
    assertThatThrownBy(() -> kernel.listen(Path.of("/" + "p".repeat(107)), 1))
        .satisfies(thrown -> assertErrno(thrown, Errno.ENAMETOOLONG));
  }

  @Test
  void connect_nobodyListens_enoent() {
    assertThatThrownBy(() -> kernel.connect(Path.of("/nonexistent/socket")))
        .satisfies(thrown -> assertErrno(thrown, Errno.ENOENT));
  }

  @Test
  void peerCredentials_notASocket_enotsock() {
    try (Fd file = kernel.memfdCreate("file", 4096)) {
      assertThatThrownBy(() -> kernel.peerCredentials(file))
          .satisfies(thrown -> assertErrno(thrown, Errno.ENOTSOCK));
    }
  }

  @Test
  void accept_shutDownListener_einval(@TempDir Path directory) {
    try (Fd listener = kernel.listen(directory.resolve("s"), 1)) {
      kernel.shutdown(listener);
      assertThatThrownBy(() -> kernel.accept(listener))
          .satisfies(thrown -> assertErrno(thrown, Errno.EINVAL));
    }
  }
}
