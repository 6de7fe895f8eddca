package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of CUDA programs: what it is made of, how much there may be, and who maps it. */
final class RelayMemoryTest extends RelayFixture {
  @Test
  void videoMemory_beyondTheQuota_isOutOfMemoryAndWhatIsFreedComesBack() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1)))
        .isEqualTo(NO_MEMORY);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(-1)))
        .isEqualTo(NO_MEMORY);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    videoLimit.set(0);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, client, DEVICE)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  /** A program may ask for pages of 512 MiB. */
  @Test
  void videoMemory_thatIsBeyondTheQuotaAsRmRoundsIt_isFreedAndRefused() {
    device();
    videoLimit.set((1 << 20) - 1);
    driver.roundVideo(1 << 20);
    int before = driver.objects();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(NO_MEMORY);
    assertThat(driver.objects()).isEqualTo(before);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    overflows.set(true);
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(relay.programs().getFirst().evictedBytes()).isEqualTo(2 << 20);
    videoLimit.set(1 << 20);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
  }

  /** The guest's share has room, and the card has none: others have more than they may. */
  @Test
  void videoMemory_whereOthersHaveTooMuch_isTriedAgainOnce() {
    device();
    driver.haveNoVideoMemory(3);
    roomMade.set(2);
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(NO_MEMORY);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().longInBlock(64)).isEqualTo(4096);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().inBlock(0)).as("as asked").isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(4096);
    driver.haveNoVideoMemory(1);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .as("nobody has too much")
        .isEqualTo(NO_MEMORY);
  }

  @Test
  void systemMemory_isPagesOfOursUnderTheProgramsHandle() {
    device();
    ByteBuffer wanted = memory(5000);
    wanted.putInt(24, 0x3a00_0000);
    ByteBuffer answer =
        program
            .ioctl(
                control,
                ProgramEscape.ALLOC,
                alloc(client, DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM),
                wanted)
            .blocks(2)
            .get(1);
    assertThat(answer.getLong(64)).isEqualTo(8192);
    assertThat(answer.getLong(88)).isEqualTo(8191);
    assertThat(answer.getInt(24)).isEqualTo(0x2a80_0000);
    FakeDriver.Seen made = driver.seen(ProgramEscape.ALLOC_MEMORY).getLast();
    assertThat(made.node()).isEqualTo("nvidia0");
    assertThat(made.word(8)).isEqualTo(MEMORY);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(8192);

    mapped(MEMORY, 0, 8192);
    assertThat(program.map(card, 0x2_0000_0000L, 8192, 0).fds())
        .hasSize(1)
        .allSatisfy(fd -> {
          assertThat(kernel.fstat(fd).sizeBytes()).isEqualTo(8192);
          fd.close();
        });
    assertThat(program.map(card, 0, 8193, 0).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(program.map(card, 0, 4096, 8192).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(program.map(card, 0, 4096, -4096).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(driver.seen(ProgramEscape.MAP_MEMORY)).isEmpty();
  }

  @Test
  void systemMemory_byAFileThatTiesNothing_leavesNoFile() {
    device();
    driver.refuse(ProgramEscape.REGISTER_FD);
    assertThat(
            program
                .ioctl(
                    control,
                    ProgramEscape.ALLOC,
                    alloc(client, DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM),
                    memory(4096))
                .error())
        .isEqualTo(Errno.EINVAL.number());
    assertThat(relay.programs().getFirst().files()).isEqualTo(3);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  @Test
  void hostMemory_beyondTheLimit_isOutOfMemory() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(8 << 20)))
        .isEqualTo(OK);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_SYSTEM, memory(1)))
        .isEqualTo(NO_MEMORY);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_SYSTEM, memory(Long.MAX_VALUE)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_SYSTEM, memory(0)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  @Test
  void videoMemory_thatIsToBeMapped_becomesPagesOfOurs() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(8192)))
        .isEqualTo(OK);
    mapped(MEMORY, 4096, 4096);
    ProgramStatus now = relay.programs().getFirst();
    assertThat(now.videoBytes()).isZero();
    assertThat(now.hostBytes()).isEqualTo(8192);
    assertThat(driver.seen(ProgramEscape.FREE)).hasSize(1);
    TestProgram.Answer answer = program.map(card, 0, 4096, 0);
    assertThat(answer.address()).isEqualTo(4096);
    answer.fds().forEach(Fd::close);
    assertThat(mapStatus(MEMORY, 4096, 8192)).isNotZero();
    assertThat(mapStatus(MEMORY, -4096, 4096)).isNotZero();
  }

  @Test
  void videoMemory_thatTheGpuHasMapped_isNotMapped() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(8192)))
        .isEqualTo(OK);
    ByteBuffer map = block(9264);
    map.putInt(9248, control);
    map.putInt(9252, client);
    map.putInt(9256, MEMORY);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION.number(), map)
                .blocks(1)
                .getFirst()
                .getInt(9260))
        .isEqualTo(OK);
    assertThat(mapStatus(MEMORY, 0, 4096)).isEqualTo(NOT_SUPPORTED);
  }

  @Test
  void doorbell_isTheDriversPageAndMappedByItsDescriptor() {
    device();
    assertThat(alloc(DEVICE, 21, ProgramClass.HOPPER_USERMODE_A, block(2, 0x0101))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().blocks().get(1)[1]).isZero();
    int tied = program.open("nvidia0");
    assertThat(program.ioctl(tied, ProgramEscape.REGISTER_FD, block(4, control)).error()).isZero();
    assertThat(mapStatus(21, 0, 65536, tied)).isEqualTo(INVALID_ARGUMENT);
    assertThat(mapStatus(21, 0, 65536, control)).isEqualTo(INVALID_ARGUMENT);
    mapped(21, 0, 65536);
    FakeDriver.Seen seen = driver.seen(ProgramEscape.MAP_MEMORY).getLast();
    assertThat(kernel.openFds()).containsKey(seen.word(48));
    TestProgram.Answer answer = program.map(card, 0, 65536, 0);
    assertThat(answer.fds()).hasSize(1);
    answer.fds().forEach(Fd::close);
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, control)).error())
        .isEqualTo(Errno.EPERM.number());
  }

  @Test
  void usermodePage_thatIsNotRung_isAnEmptyPageOfOurs() {
    device();
    assertThat(alloc(DEVICE, 21, ProgramClass.HOPPER_USERMODE_A, block(0))).isEqualTo(OK);
    mapped(21, 0, 65536);
    assertThat(driver.seen(ProgramEscape.MAP_MEMORY)).isEmpty();
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(65536);
  }

  @Test
  void maps_thatNothingPrepared_areInvalid() {
    assertThat(program.map(control, 0, 4096, 0).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(program.map(uvm, 1 << 20, 4096, 1 << 20).error()).isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void pieces_beyondTheGuestsShareOfDescriptors_areOutOfMemory() {
    device();
    int made = 0;
    while (alloc(DEVICE, MEMORY + made, ProgramClass.NV01_MEMORY_SYSTEM, memory(1)) == OK) {
      made++;
    }
    assertThat(made).isBetween(256, 512);
    assertThat(program.tryOpen("nvidia0").error()).isEqualTo(Errno.EMFILE.number());
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(program.open("nvidia0")).isPositive();
  }

  @Test
  void pinnedMemory_isTheProgramsOwnSealedFileAndNoOther() {
    device();
    Fd file = kernel.memfdCreate("pinned", FILE_SIZE);
    assertThat(pin(List.of(file), 0, FILE_SIZE)).isEqualTo(INVALID_ADDRESS); // not sealed
    kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
    assertThat(pin(List.of(file), 0, FILE_SIZE + 1)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(file), 4096, FILE_SIZE)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(file), 1, 4096)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(file), -4096, 4096)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(), 0, 4096)).isEqualTo(NOT_SUPPORTED);
    Fd event = kernel.eventfd(0, Kernel.NONBLOCK);
    assertThat(pin(List.of(event), 0, 4096)).isEqualTo(INVALID_ADDRESS);
    event.close();
    assertThat(relay.programs().getFirst().hostBytes()).isZero();

    assertThat(pin(List.of(file), 4096, 8192)).isEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(8192);
    file.close();
    assertThat(driver.seen(ProgramEscape.ALLOC_MEMORY)).hasSize(1);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  private int pin(List<Fd> file, long offset, long bytes) {
    ByteBuffer argument = block(56, client, DEVICE, MEMORY, 0x71, 0x4000_1010);
    argument.putLong(24, 0x7fff_0000_0000L);
    argument.putLong(32, bytes - 1);
    argument.putInt(48, -1);
    ByteBuffer answer =
        program
            .ioctl(card, TestProgram.request(ProgramEscape.ALLOC_MEMORY), offset, file, argument)
            .blocks(1)
            .getFirst();
    assertThat(answer.getLong(24)).isEqualTo(0x7fff_0000_0000L);
    return answer.getInt(40);
  }
}
