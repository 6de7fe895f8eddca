package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** UVM's commands over the relay: pages of ours in its ranges, and what it holds. */
final class RelayUvmTest extends RelayFixture {
  @Test
  void initialize_isOfTheKindThatOthersMayCall() {
    ByteBuffer answer =
        program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).blocks(1).getFirst();
    assertThat(answer.getLong(0)).isZero();
    assertThat(driver.seen(UvmCommand.INITIALIZE).getLast().word(0)).isEqualTo(2);
  }

  @Test
  void semaphorePool_isPagesOfOursAtItsAddress() {
    device();
    long base = 0x2_04a0_0000L;
    pool(base);
    assertThat(driver.seen(UvmCommand.ALLOC_SEMAPHORE_POOL)).isEmpty();
    FakeDriver.Seen map = driver.seen(UvmCommand.MAP_EXTERNAL_ALLOCATION).getLast();
    assertThat(map.word(24)).isEqualTo(0x1234);
    assertThat(map.word(9240)).isEqualTo(1);
    assertThat(map.word(9252)).isEqualTo(client);
    assertThat(uvmStatus(UvmCommand.VALIDATE_VA_RANGE, 0, (int) base)).isZero();
    TestProgram.Answer answer = program.map(uvm, base, 2 << 20, base);
    assertThat(answer.error()).isZero();
    answer.fds().forEach(Fd::close);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(2 << 20);

    free(base);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  @Test
  void managedMemory_isPagesOfOursAndAMigrationIsOverAtOnce() {
    device();
    long base = 0x2_04a0_0000L;
    pool(base);
    long managed = 0x7f00_0000_0000L;
    TestProgram.Answer answer = program.map(uvm, managed, FILE_SIZE, managed);
    assertThat(answer.error()).isZero();
    answer.fds().forEach(Fd::close);
    ByteBuffer migrate = block(80);
    migrate.putLong(0, managed);
    migrate.putLong(40, base + 64);
    migrate.putInt(48, 4711);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MIGRATE.number(), migrate)
                .blocks(1)
                .getFirst()
                .getInt(72))
        .isEqualTo(OK);
    assertThat(driver.seen(UvmCommand.MIGRATE)).isEmpty();
    migrate.putLong(40, 0x1000);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MIGRATE.number(), migrate)
                .blocks(1)
                .getFirst()
                .getInt(72))
        .isEqualTo(INVALID_ADDRESS);
    migrate.putLong(40, base + (2 << 20) - 2);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MIGRATE.number(), migrate)
                .blocks(1)
                .getFirst()
                .getInt(72))
        .isEqualTo(INVALID_ADDRESS);
  }

  @Test
  void memory_thatIsFreedUnderAMapOrARange_isGoneForBoth() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(4096))).isEqualTo(OK);
    mapped(MEMORY, 0, 4096);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(program.map(card, 0, 4096, 0).error()).isEqualTo(Errno.EINVAL.number());

    long base = 0x2_04a0_0000L;
    pool(base);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, 0x5e10_0000)))
        .isEqualTo(OK);
    // UVM has it still: it is there, and counts, until the range is freed.
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(2 << 20);
    program.map(uvm, base, 4096, base).fds().forEach(Fd::close);
    free(base);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
    program.map(uvm, base, 4096, base).fds().forEach(Fd::close); // new ones
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(4096);
  }

  @Test
  void videoMemory_thatUvmStillHas_counts() {
    device();
    long base = 0x10_0000_0000L;
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(base, MEMORY);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1)))
        .isEqualTo(NO_MEMORY);
    free(base);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(base, MEMORY);
    ByteBuffer unmap = block(40);
    unmap.putLong(0, base);
    unmap.putLong(8, 1 << 20);
    unmap.put(16, GPU_UUID);
    assertThat(program.ioctl(uvm, UvmCommand.UNMAP_EXTERNAL.number(), unmap).error()).isZero();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  /** UVM finds no such map and says that all is well; it has the memory still. */
  @Test
  void videoMemory_thatIsUnmappedForAnotherGpu_counts() {
    device();
    long base = 0x10_0000_0000L;
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(base, MEMORY);
    ByteBuffer unmap = block(40);
    unmap.putLong(0, base);
    unmap.putLong(8, 1 << 20);
    unmap.put(16, GPU_UUID);
    unmap.put(31, (byte) '?');
    assertThat(program.ioctl(uvm, UvmCommand.UNMAP_EXTERNAL.number(), unmap).error()).isZero();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    free(base);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  @Test
  void unmaps_beyondTheLastAddress_endNobody() {
    device();
    ByteBuffer unmap = block(40);
    unmap.putLong(0, -4096);
    unmap.putLong(8, 8192);
    assertThat(program.ioctl(uvm, UvmCommand.UNMAP_EXTERNAL.number(), unmap).error()).isZero();
    assertThat(program.open("nvidiactl")).isPositive();
  }

  @Test
  void uvm_thatIsClosed_letsGoOfAll() {
    device();
    assertThat(program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).error()).isZero();
    pool(0x2_04a0_0000L);
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    external(0x10_0000_0000L, MEMORY);
    assertThat(program.close(uvm).error()).isZero();
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  /** PyTorch has two of them: what one has does not go with the other. */
  @Test
  void uvm_anotherThatIsClosed_letsGoOfNothing() {
    device();
    assertThat(program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).error()).isZero();
    pool(0x2_04a0_0000L);
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    external(0x10_0000_0000L, MEMORY);
    int another = program.open("nvidia-uvm");
    assertThat(program.ioctl(another, UvmCommand.INITIALIZE.number(), block(16)).error()).isZero();
    assertThat(program.close(another).error()).isZero();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(4096);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(2 << 20);
    assertThat(program.close(uvm).error()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }
}
