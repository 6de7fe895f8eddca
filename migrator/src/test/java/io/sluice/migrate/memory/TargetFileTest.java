package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.testbed.fakes.FakeKernel;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a lane puts pages into a file that others fill, too. */
final class TargetFileTest {
  private static final int PAGE = Fingerprint.PAGE_BYTES;
  private static final int FILE_BYTES = 16 * PAGE;

  private final FakeKernel kernel = new FakeKernel();
  private final Fd fd = kernel.memfdCreate("vram", FILE_BYTES);
  private final Mapping mapping =
      kernel.mmap(fd, PAGE, FILE_BYTES - PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE);
  private final ReentrantLock writing = new ReentrantLock();
  private final TargetFile file =
      new TargetFile(
          kernel,
          new MemoryTarget.MappedVideoMemory(
              new SharedArea(fd, PAGE, FILE_BYTES - PAGE), mapping.segment()),
          writing);
  private final TargetBuffers.BufferRange range =
      new TargetBuffers.BufferRange(
          new MemoryRecord(1, 1, 0, 0, 0, FILE_BYTES - PAGE, false, OptionalLong.of(0), false),
          0,
          1);

  @BeforeEach
  void begin() {
    mapping.segment().fill((byte) 1);
  }

  @AfterEach
  void end() {
    mapping.close();
    fd.close();
  }

  private static ByteBuffer bytes(boolean direct) {
    ByteBuffer made = direct ? ByteBuffer.allocateDirect(2 * PAGE) : ByteBuffer.allocate(2 * PAGE);
    MemorySegment.ofBuffer(made).fill((byte) 7);
    return made;
  }

  /** Two pages at the third, and nothing else, have become something. */
  private void assertStored(int expected) {
    for (int page = 0; page < FILE_BYTES / PAGE - 1; page++) {
      MemorySegment there = mapping.segment().asSlice((long) page * PAGE, PAGE);
      byte[] wanted = new byte[PAGE];
      Arrays.fill(wanted, (byte) (page == 3 || page == 4 ? expected : 1));
      assertThat(there.mismatch(MemorySegment.ofArray(wanted))).as("page %d", page).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void store_nobodyWrites_isWritten(boolean direct) {
    file.store(range, 3 * PAGE, 2 * PAGE, bytes(direct));
    assertStored(7);
    assertThat(kernel.count("pwrite")).isEqualTo(1);
    assertThat(kernel.count("populate")).isZero();
    assertThat(writing.isLocked()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void store_anotherWrites_doesNotWaitForIt(boolean direct) throws Exception {
    whileAnotherWrites(() -> file.store(range, 3 * PAGE, 2 * PAGE, bytes(direct)));
    assertStored(7);
    assertThat(kernel.count("pwrite")).isZero();
    assertThat(kernel.count("populate")).isEqualTo(1);
  }

  @Test
  void store_zerosWhileAnotherWrites_areThere() throws Exception {
    whileAnotherWrites(() -> file.store(range, 3 * PAGE, 2 * PAGE, ByteBuffer.allocate(0)));
    assertStored(0);
    assertThat(kernel.count("pwrite")).isZero();
  }

  @Test
  void store_zeros_areWritten() {
    file.store(range, 3 * PAGE, 2 * PAGE, ByteBuffer.allocate(0));
    assertStored(0);
  }

  /** No memory, or a kernel that cannot: whoever writes says what is the matter, if anything is. */
  @Test
  void store_anotherWritesAndPagesCannotBeMade_waitsForItsTurn() throws Exception {
    kernel.fail("populate", 1, Errno.ENOMEM);
    writing.lock();
    Thread lane =
        Thread.ofPlatform()
            .daemon()
            .start(() -> file.store(range, 3 * PAGE, 2 * PAGE, bytes(true)));
    await().atMost(Duration.ofSeconds(60)).until(() -> writing.hasQueuedThread(lane));
    assertStored(1);
    writing.unlock();
    lane.join();
    assertStored(7);
    assertThat(kernel.count("pwrite")).isEqualTo(1);
  }

  private void whileAnotherWrites(Runnable store) throws InterruptedException {
    writing.lock();
    try {
      Thread lane = Thread.ofPlatform().daemon().start(store);
      assertThat(lane.join(Duration.ofSeconds(60))).isTrue();
    } finally {
      writing.unlock();
    }
  }

  @Test
  void covers_placesOfTheArea_andNoOthers() {
    assertThat(file.covers(FILE_BYTES - 2 * PAGE, PAGE)).isTrue();
    assertThat(file.covers(FILE_BYTES - PAGE, PAGE)).isFalse();
  }
}
