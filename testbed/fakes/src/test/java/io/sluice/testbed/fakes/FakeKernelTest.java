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
import io.sluice.abi.sys.PeerCredentials;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FakeKernelTest {
  private static final long EXT4_MAGIC = 0xef53;

  private final FakeKernel kernel = new FakeKernel();

  @Test
  void fail_secondCall_failsOnlyThat() {
    kernel.fail("eventfd", 2, Errno.EMFILE);
    try (Fd first = kernel.eventfd(0, 0)) {
      assertThat(kernel.outstandingFailures()).containsExactly("eventfd EMFILE");
      assertThatThrownBy(() -> kernel.eventfd(0, 0))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.EMFILE)).isTrue());
      kernel.eventfd(0, 0).close();
      assertThat(first.isOpen()).isTrue();
    }
    assertThat(kernel.outstandingFailures()).isEmpty();
    assertThat(kernel.count("eventfd")).isEqualTo(3);
    assertThat(kernel.openFds()).isEmpty();
  }

  @Test
  void openFds_lowestNumberIsTakenFirst() {
    Fd three = kernel.eventfd(0, 0);
    Fd four = kernel.memfdCreate("m", 4096);
    three.close();
    Fd again = kernel.eventfd(0, 0);
    assertThat(again.number()).isEqualTo(3);
    assertThat(kernel.openFds()).containsEntry(3, "eventfd").containsEntry(4, "m");
    four.close();
    again.close();
  }

  @Test
  void mappings_outliveTheirDescriptor() {
    Fd fd = kernel.memfdCreate("m", 4096);
    Mapping mapping = kernel.mmap(fd, 0, 4096, Kernel.PROT_READ | Kernel.PROT_WRITE);
    fd.close();
    mapping.segment().set(Layouts.U32, 0, 1);
    assertThat(kernel.mappings()).isEqualTo(1);
    mapping.close();
    assertThat(kernel.mappings()).isZero();
  }

  @Test
  void messageNeverRead_isDroppedWithItsFiles() {
    List<Fd> pair = kernel.socketpair();
    try (Arena arena = Arena.ofConfined();
        Fd file = kernel.memfdCreate("m", 4096)) {
      kernel.sendmsg(pair.get(0), arena.allocate(1), List.of(file));
    }
    pair.forEach(Fd::close);
    assertThat(kernel.openFds()).isEmpty();
  }

  @Test
  void truncate_sealed_eperm() {
    try (Fd fd = kernel.memfdCreate("m", 8192)) {
      kernel.truncate(fd, 4096);
      assertThat(kernel.fstat(fd).sizeBytes()).isEqualTo(4096);
      kernel.addSeals(fd, Kernel.F_SEAL_SHRINK);
      assertThatThrownBy(() -> kernel.truncate(fd, 0))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.EPERM)).isTrue());
    }
  }

  @Test
  void plainFile_hasItsFileSystemAndNoSeals() {
    try (Fd fd = kernel.plainFile("disk", 4096, EXT4_MAGIC)) {
      assertThat(kernel.fileSystemType(fd)).isEqualTo(EXT4_MAGIC);
      assertThat(kernel.fstat(fd).isRegular()).isTrue();
      assertThatThrownBy(() -> kernel.addSeals(fd, Kernel.F_SEAL_SHRINK))
          .isInstanceOf(SyscallException.class);
    }
  }

  @Test
  void device_opened_asksItsDriver() {
    kernel.device(Path.of("/dev/dri/card0"), (request, argument) -> (int) request);
    try (Fd fd = kernel.open(Path.of("/dev/dri/card0"), Kernel.O_RDWR);
        Arena arena = Arena.ofConfined()) {
      assertThat(kernel.ioctl(fd, 7, arena.allocate(8))).isEqualTo(7);
    }
  }

  @Test
  void peerCredentials_areThoseOfTheTimeOfConnecting() {
    kernel.becomes(new PeerCredentials(7, 8, 9));
    List<Fd> pair = kernel.socketpair();
    kernel.becomes(new PeerCredentials(1, 1, 1));
    assertThat(kernel.peerCredentials(pair.get(0))).isEqualTo(new PeerCredentials(7, 8, 9));
    pair.forEach(Fd::close);
  }

  @Test
  void recvmsg_blocked_isWokenByTheMessage() throws InterruptedException {
    List<Fd> pair = kernel.socketpair();
    MemorySegment into = Arena.ofShared().allocate(8);
    long[] got = {-7};
    Thread receiver =
        new Thread(() -> got[0] = kernel.recvmsg(pair.get(1), into, new FdList()), "receiver");
    receiver.start();
    try (Arena arena = Arena.ofConfined()) {
      kernel.sendmsg(pair.get(0), arena.allocate(3), List.of());
    }
    receiver.join();
    assertThat(got[0]).isEqualTo(3);
    pair.forEach(Fd::close);
  }
}
