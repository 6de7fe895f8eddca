package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.channel.MovableMemory.Moved;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Programs' memory that moves between video memory and system memory, under them. */
final class RelayMovesTest extends RelayFixture {
  private static final long MIB = 1 << 20;
  private static final long ALL = 1L << 40;
  private static final long BASE = 0x10_0000_0000L;
  private static final int SUBDEVICE = 0x5c00_0002;
  private static final int CHANNEL = 0x5c00_0030;
  private static final int WORD = 4711;

  @BeforeEach
  void context() {
    videoLimit.set(64 * MIB);
    hostLimit.set(64 * MIB);
    device();
    assertThat(alloc(DEVICE, SUBDEVICE, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
    assertThat(alloc(DEVICE, CHANNEL, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, block(368)))
        .isEqualTo(OK);
    assertThat(program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).error()).isZero();
  }

  private int video(int handle, long bytes) {
    return alloc(DEVICE, handle, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(bytes));
  }

  private int registered(ProgramControl control, int handle) {
    return controlStatus(client, control.command(), block(control.shape().bytes(), handle));
  }

  private void mapped(long base, int handle, long bytes) {
    ByteBuffer range = block(24);
    range.putLong(0, base);
    range.putLong(8, bytes);
    assertThat(program.ioctl(uvm, UvmCommand.CREATE_EXTERNAL_RANGE.number(), range).error())
        .isZero();
    ByteBuffer map = block(9264);
    map.putLong(0, base);
    map.putLong(8, bytes);
    map.putLong(9240, 1);
    map.putInt(9248, control);
    map.putInt(9252, client);
    map.putInt(9256, handle);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION.number(), map)
                .blocks(1)
                .getFirst()
                .getInt(9260))
        .isEqualTo(OK);
  }

  /** What {@code cudaMalloc} does. */
  private void data(int handle, long base, long bytes) {
    assertThat(video(handle, bytes)).isEqualTo(OK);
    assertThat(registered(ProgramControl.REGISTER_VIDMEM, handle)).isEqualTo(OK);
    mapped(base, handle, bytes);
    driver.store(base, WORD + handle);
  }

  private void freed(int handle, long base) {
    free(base);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, handle)))
        .isEqualTo(OK);
  }

  private ProgramStatus status() {
    return relay.programs().getFirst();
  }

  @Test
  void data_evictedAndBack_sameAddressSameContentAndChannelsRun() {
    data(MEMORY, BASE, MIB);
    assertThat(relay.evict(1, ALL)).isEqualTo(new Moved(1, MIB));
    assertThat(driver.isVideo(BASE)).isFalse();
    assertThat(driver.load(BASE)).isEqualTo(WORD + MEMORY);
    assertThat(driver.stopped()).isZero();
    assertThat(status().videoBytes()).isZero();
    assertThat(status().evictedBytes()).isEqualTo(MIB);
    assertThat(status().hostBytes()).isEqualTo(MIB);
    assertThat(relay.evictedBytes()).isEqualTo(MIB);
    assertThat(relay.evict(1, ALL)).as("there is no more").isEqualTo(Moved.NONE);
    driver.store(BASE, 1);

    assertThat(relay.restore(MIB - 1, MIB)).as("no room").isEqualTo(Moved.NONE);
    assertThat(relay.restore(MIB, MIB)).isEqualTo(new Moved(1, MIB));
    assertThat(driver.isVideo(BASE)).isTrue();
    assertThat(driver.load(BASE)).isEqualTo(1);
    assertThat(driver.stopped()).isZero();
    assertThat(status().videoBytes()).isEqualTo(MIB);
    assertThat(status().hostBytes()).isZero();
    freed(MEMORY, BASE);
    assertThat(status().videoBytes()).isZero();
  }

  @Test
  void data_thatIsFreedWhereItWasMoved_isGone() {
    data(MEMORY, BASE, MIB);
    assertThat(relay.evict(MIB, ALL).pieces()).isEqualTo(1);
    assertThat(registered(ProgramControl.UNREGISTER_VIDMEM, MEMORY)).isEqualTo(OK);
    int before = driver.objects();
    freed(MEMORY, BASE);
    assertThat(driver.objects()).isEqualTo(before - 1);
    assertThat(status().hostBytes()).isZero();
    assertThat(relay.evictedBytes()).isZero();
  }

  @Test
  void memory_thatIsNotDataOfTheProgram_staysWhereItIs() {
    assertThat(video(MEMORY, MIB)).isEqualTo(OK);
    mapped(BASE, MEMORY, MIB);
    assertThat(video(MEMORY + 1, MIB)).isEqualTo(OK);
    assertThat(registered(ProgramControl.REGISTER_VIDMEM, MEMORY + 1)).isEqualTo(OK);
    mapped(BASE + MIB, MEMORY + 1, MIB);
    mapped(BASE + 2 * MIB, MEMORY + 1, MIB);
    assertThat(relay.evict(8 * MIB, ALL))
        .as("libcuda's own; one that is mapped twice")
        .isEqualTo(Moved.NONE);
    assertThat(video(MEMORY + 2, MIB)).isEqualTo(OK);
    assertThat(registered(ProgramControl.REGISTER_VIDMEM, MEMORY + 2)).isEqualTo(OK);
    mapped(BASE + 3 * MIB, MEMORY + 2, MIB / 2);
    assertThat(relay.evict(8 * MIB, ALL)).as("one that is mapped in part").isEqualTo(Moved.NONE);
    assertThat(status().videoBytes()).isEqualTo(3 * MIB);
  }

  @Test
  void pieces_thatFitFirst_thenTheLeastThatIsEnough() {
    data(MEMORY, BASE, 8 * MIB);
    data(MEMORY + 1, BASE + 8 * MIB, 2 * MIB);
    data(MEMORY + 2, BASE + 16 * MIB, MIB);
    data(MEMORY + 3, BASE + 24 * MIB, 4 * MIB);
    assertThat(relay.evict(3 * MIB, ALL)).isEqualTo(new Moved(2, 3 * MIB));
    assertThat(driver.isVideo(BASE + 8 * MIB)).isFalse();
    assertThat(driver.isVideo(BASE + 16 * MIB)).isFalse();
    assertThat(relay.evict(1, ALL)).isEqualTo(new Moved(1, 4 * MIB));
    assertThat(relay.evict(100 * MIB, ALL)).isEqualTo(new Moved(1, 8 * MIB));
    assertThat(relay.restore(7 * MIB, 2 * MIB)).as("enough").isEqualTo(new Moved(1, 4 * MIB));
    assertThat(relay.restore(100 * MIB, 100 * MIB)).isEqualTo(new Moved(3, 11 * MIB));
    for (int i = 0; i < 4; i++) {
      assertThat(driver.load(BASE + i * 8 * MIB)).isEqualTo(WORD + MEMORY + i);
      assertThat(driver.isVideo(BASE + i * 8 * MIB)).isTrue();
    }
  }

  @Test
  void data_thatFindsNoRoom_stays() {
    data(MEMORY, BASE, MIB);
    int before = driver.objects();
    driver.haveSystemMemory(0);
    assertThat(relay.evict(1, ALL)).isEqualTo(Moved.NONE);
    driver.haveSystemMemory(100);
    driver.copy(0);
    assertThat(relay.evict(1, ALL)).as("a copy that fails").isEqualTo(Moved.NONE);
    driver.copy(100);
    driver.refuseCommand(RmControl.FIFO_DISABLE_CHANNELS.command());
    assertThat(relay.evict(1, ALL)).as("channels that do not stop").isEqualTo(Moved.NONE);
    driver.refuseCommand(0);
    assertThat(driver.objects()).isEqualTo(before);
    assertThat(driver.isVideo(BASE)).isTrue();
    assertThat(driver.load(BASE)).isEqualTo(WORD + MEMORY);
    assertThat(driver.stopped()).isZero();
    assertThat(status().videoBytes()).isEqualTo(MIB);
    assertThat(status().hostBytes()).isZero();

    assertThat(relay.evict(1, ALL).pieces()).isEqualTo(1);
    driver.haveNoVideoMemory(1);
    assertThat(relay.restore(MIB, MIB)).isEqualTo(Moved.NONE);
    assertThat(driver.load(BASE)).isEqualTo(WORD + MEMORY);
    assertThat(status().evictedBytes()).isEqualTo(MIB);
  }

  /** What guests do must not have the host look for a process to end. */
  @Test
  void data_forWhichTheHostHasNoMemoryToSpare_stays() {
    data(MEMORY, BASE, MIB);
    long others = kernel.hostLimits().memoryBytes() / 16;
    kernel.setAvailableBytes(others + MIB - 1);
    assertThat(relay.evict(1, ALL)).isEqualTo(Moved.NONE);
    overflows.set(true);
    videoLimit.set(0);
    assertThat(video(MEMORY + 1, 1)).isEqualTo(NO_MEMORY);
    assertThat(status().hostBytes()).isZero();
    kernel.setAvailableBytes(others + MIB);
    assertThat(relay.evict(1, ALL).pieces()).isEqualTo(1);
  }

  /** Video memory may have room only for less: that returns. */
  @Test
  void data_thatFindsNoRoomBack_doesNotKeepSmallerDataFromReturning() {
    data(MEMORY, BASE, 4 * MIB);
    data(MEMORY + 1, BASE + 4 * MIB, 4 * MIB);
    data(MEMORY + 2, BASE + 8 * MIB, 2 * MIB);
    data(MEMORY + 3, BASE + 12 * MIB, MIB);
    assertThat(relay.evict(11 * MIB, ALL)).isEqualTo(new Moved(4, 11 * MIB));
    driver.haveNoVideoMemory(2);
    assertThat(relay.restore(ALL, 1)).as("one of 4 MiB, 2 MiB").isEqualTo(new Moved(1, MIB));
    assertThat(driver.isVideo(BASE + 12 * MIB)).isTrue();
    assertThat(relay.restore(ALL, ALL)).isEqualTo(new Moved(3, 10 * MIB));
  }

  @Test
  void data_thatUvmDoesNotMapWhereItMoves_isMappedAgain() {
    data(MEMORY, BASE, MIB);
    data(MEMORY + 1, BASE + MIB, MIB);
    int before = driver.objects();
    driver.refuseMaps(1);
    assertThat(relay.evict(2 * MIB, ALL)).isEqualTo(Moved.NONE);
    assertThat(driver.isVideo(BASE)).isTrue();
    assertThat(driver.isVideo(BASE + MIB)).isTrue();
    assertThat(driver.load(BASE)).isEqualTo(WORD + MEMORY);
    assertThat(driver.load(BASE + MIB)).isEqualTo(WORD + MEMORY + 1);
    assertThat(driver.objects()).isEqualTo(before);
    assertThat(status().videoBytes()).isEqualTo(2 * MIB);
    assertThat(relay.evict(2 * MIB, ALL)).isEqualTo(new Moved(2, 2 * MIB));
  }

  @Test
  void program_thatCannotBeLeftAsItWas_ends() throws InterruptedException {
    data(MEMORY, BASE, MIB);
    driver.refuseMaps(2);
    assertThat(relay.evict(1, ALL)).isEqualTo(Moved.NONE);
    threads.getFirst().join();
    assertThat(relay.programs()).isEmpty();
  }

  @Test
  void allocation_beyondTheShare_inSystemMemoryIfThePolicyIsSo() {
    videoLimit.set(MIB);
    assertThat(video(MEMORY, 3 * MIB)).isEqualTo(NO_MEMORY);
    overflows.set(true);
    ByteBuffer parameters = memory(3 * MIB);
    parameters.putInt(24, 0x1800_0000);
    ByteBuffer answer =
        program
            .ioctl(
                control,
                ProgramEscape.ALLOC,
                alloc(client, DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER),
                parameters)
            .blocks(2)
            .get(1);
    // as RM answers for video memory
    assertThat(answer.getInt(24)).isEqualTo(0x1180_0000);
    assertThat(answer.getInt(28)).isEqualTo(0x10_0005);
    assertThat(answer.getInt(32)).isEqualTo(6);
    assertThat(answer.getLong(64)).isEqualTo(4 * MIB);
    assertThat(answer.getLong(88)).isEqualTo(4 * MIB - 1);
    assertThat(status().videoBytes()).isZero();
    assertThat(status().evictedBytes()).isEqualTo(4 * MIB);
    int asked = driver.seen(ProgramEscape.CONTROL).size();
    assertThat(registered(ProgramControl.REGISTER_VIDMEM, MEMORY)).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.CONTROL)).as("RM knows no such memory").hasSize(asked);
    mapped(BASE, MEMORY, 4 * MIB);
    assertThat(driver.isVideo(BASE)).isFalse();
    assertThat(driver.load(BASE)).isZero();
    driver.store(BASE, WORD);

    videoLimit.set(4 * MIB);
    assertThat(relay.restore(4 * MIB, 1)).isEqualTo(new Moved(1, 4 * MIB));
    assertThat(driver.isVideo(BASE)).isTrue();
    assertThat(driver.load(BASE)).isEqualTo(WORD);
    freed(MEMORY, BASE);
  }

  @Test
  void allocation_thatTheCardHasNotLeft_inSystemMemoryIfThePolicyIsSo() {
    overflows.set(true);
    driver.haveNoVideoMemory(1);
    assertThat(video(MEMORY, MIB)).isEqualTo(OK);
    assertThat(status().videoBytes()).isZero();
    assertThat(status().evictedBytes()).isEqualTo(2 * MIB);
  }

  @Test
  void allocation_beyondTheHostsMemory_isRefused() {
    overflows.set(true);
    videoLimit.set(0);
    hostLimit.set(3 * MIB);
    assertThat(video(MEMORY, 2 * MIB)).isEqualTo(OK);
    assertThat(video(MEMORY + 1, 1)).isEqualTo(NO_MEMORY);
    assertThat(video(MEMORY + 1, -1)).isEqualTo(INVALID_ARGUMENT);
    assertThat(video(0, 1)).isEqualTo(NO_MEMORY);
    driver.haveSystemMemory(0);
    hostLimit.set(8 * MIB);
    assertThat(video(MEMORY + 1, 1)).isEqualTo(NO_MEMORY);
    assertThat(status().hostBytes()).isEqualTo(2 * MIB);
  }

  @Test
  void program_inACall_isNotWaitedForLong() throws InterruptedException {
    data(MEMORY, BASE, MIB);
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    driver.during(
        ProgramEscape.NUMA_INFO,
        () -> {
          called.countDown();
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    Thread caller =
        Thread.ofPlatform()
            .start(() -> program.ioctl(control, ProgramEscape.NUMA_INFO, block(560)));
    called.await();
    assertThat(relay.evict(1, ALL)).isEqualTo(Moved.NONE);
    go.countDown();
    caller.join();
    assertThat(relay.evict(1, ALL).pieces()).isEqualTo(1);
  }
}
