package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that name what is another program's, another card's or the kernel's own. */
final class RelayOwnershipTest extends RelayFixture {
  @Test
  void clients_ofOthers_areInvalidWhereverTheyStand() {
    TestProgram other = connect();
    assertThat(other.hello().error()).isZero();
    int stranger = client(other, other.open("nvidiactl"));
    device();
    int before = driver.seen().size();

    assertThat(controlStatus(stranger, 0x1f0, block(4))).isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.NV01_DEVICE_0, block(56, 0, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.NV01_DEVICE_0, block(56, 0, client, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.NV01_EVENT_OS_EVENT, block(24, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.GT200_DEBUGGER, block(12, 0, stranger)))
        .isEqualTo(INVALID_CLIENT);
    ByteBuffer event = block(16, stranger, 0, card);
    assertThat(status(card, ProgramEscape.ALLOC_OS_EVENT, event)).isEqualTo(INVALID_CLIENT);
    assertThat(status(control, ProgramEscape.FREE, block(16, stranger, 0, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.REGISTER_GPU_VASPACE, 20, stranger)).isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.REGISTER_CHANNEL, 20, stranger)).isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.UNREGISTER_CHANNEL, 16, stranger)).isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.MAP_EXTERNAL_ALLOCATION, 9252, stranger))
        .isEqualTo(INVALID_CLIENT);

    assertThat(driver.seen()).hasSize(before);
  }

  @Test
  void clients_ofTheProgramsOwnNaming_areRefused() {
    ByteBuffer argument = alloc(0, 0, 0xc1d0_0001, ProgramClass.NV01_ROOT);
    assertThat(
            program
                .ioctl(control, ProgramEscape.ALLOC, argument, block(0))
                .blocks(2)
                .getFirst()
                .getInt(40))
        .isEqualTo(INVALID_CLIENT);
  }

  /** It would be taken for the client, which would then not be freed when the program ends. */
  @Test
  void objects_withTheHandleOfTheirClient_areRefused() {
    device();
    int before = driver.seen(ProgramEscape.ALLOC).size();
    assertThat(alloc(DEVICE, client, ProgramClass.HOPPER_USERMODE_A, block(2)))
        .isEqualTo(INVALID_OBJECT_HANDLE);
    assertThat(alloc(DEVICE, client, ProgramClass.NV01_MEMORY_SYSTEM, memory(4096)))
        .isEqualTo(INVALID_OBJECT_HANDLE);
    Fd file = kernel.memfdCreate("pinned", FILE_SIZE);
    kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
    ByteBuffer pin = block(56, client, DEVICE, client, 0x71, 0x4000_1010);
    pin.putLong(24, 0x7fff_0000_0000L);
    pin.putLong(32, 4095);
    pin.putInt(48, -1);
    int request = TestProgram.request(ProgramEscape.ALLOC_MEMORY);
    assertThat(program.ioctl(card, request, 0, List.of(file), pin).blocks(1).getFirst().getInt(40))
        .isEqualTo(INVALID_OBJECT_HANDLE);
    file.close();
    assertThat(driver.seen(ProgramEscape.ALLOC)).hasSize(before);
    assertThat(driver.seen(ProgramEscape.ALLOC_MEMORY)).isEmpty();
  }

  @Test
  void descriptors_inCalls_areTheRelaysAndTheProgramsOwnAgainAfterwards() {
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, control)).error()).isZero();
    FakeDriver.Seen seen = driver.seen(ProgramEscape.REGISTER_FD).getLast();
    assertThat(seen.node()).isEqualTo("nvidia0");
    assertThat(kernel.openFds()).containsKey(seen.word(0));
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, card)).error())
        .isEqualTo(Errno.EPERM.number());
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, 4711)).error())
        .isEqualTo(Errno.EPERM.number());

    ByteBuffer initialize = block(8, uvm);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MM_INITIALIZE.number(), initialize)
                .blocks(1)
                .getFirst()
                .getInt(0))
        .isEqualTo(uvm);
  }

  @Test
  void otherCards_areNotShownAndNotGiven() {
    ByteBuffer ids = block(128);
    ByteBuffer answer =
        program
            .ioctl(
                control, ProgramEscape.CONTROL, block(32, client, client, 0x201, 0, 0, 0, 128), ids)
            .blocks(2)
            .get(1);
    assertThat(answer.getInt(0)).isEqualTo(0x100);
    assertThat(answer.getInt(4)).isEqualTo(-1);
    ByteBuffer cards =
        program.ioctl(control, ProgramEscape.CARD_INFO, block(2304)).blocks(1).getFirst();
    assertThat(cards.get(0)).isEqualTo((byte) 1);
    assertThat(cards.get(72)).isZero();
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 1)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x215, block(132, 0x101, -1))).isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x215, block(132, 0))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.CONTROL).getLast().inBlock(0)).isEqualTo(0x100);
  }

  private ByteBuffer answered(ProgramControl control) {
    int bytes = control.shape().bytes();
    return program
        .ioctl(
            this.control,
            ProgramEscape.CONTROL,
            block(32, client, client, control.command(), 0, 0, 0, bytes),
            block(bytes))
        .blocks(2)
        .get(1);
  }

  @Test
  void devices_ofOtherCards_areNotListed() {
    ByteBuffer devices = answered(ProgramControl.GPU_GET_ACTIVE_DEVICE_IDS);
    assertThat(devices.getInt(0)).isEqualTo(1);
    assertThat(devices.getInt(4)).isEqualTo(0x100);
    assertThat(devices.getInt(8)).isEqualTo(-1);
    assertThat(devices.getInt(16)).isZero();
  }

  /** Of what is reached over a fabric libcuda would make memory that the relay refuses. */
  @Test
  void fabric_betweenCards_isNotShown() {
    assertThat(answered(ProgramControl.GET_GPU_FABRIC_PROBE_INFO))
        .isEqualTo(block(ProgramControl.GET_GPU_FABRIC_PROBE_INFO.shape().bytes()));
    ByteBuffer infos = answered(ProgramControl.GPU_GET_INFO_V2);
    assertThat(infos.getInt(8)).as("another index").isEqualTo(1);
    assertThat(infos.getInt(12)).isEqualTo(0x2d);
    assertThat(infos.getInt(16)).isZero();
  }

  @Test
  void timeSlices_areAsLongAsCudaAsksForAtMost() {
    ByteBuffer slice = block(8);
    slice.putLong(0, 5_000_000);
    assertThat(controlStatus(client, ProgramControl.SET_TIMESLICE.command(), slice)).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.CONTROL).getLast().longInBlock(0)).isEqualTo(2048);
  }

  @Test
  void sharePolicy_isNotPassedOn() {
    int before = driver.seen().size();
    assertThat(controlStatus(client, 0xd04, block(12))).isEqualTo(OK);
    assertThat(driver.seen()).hasSize(before);
  }

  @Test
  void fields_ofTheKernelsOwn_areCleared() {
    device();
    ByteBuffer channel = block(368);
    for (int i = 0; i < 368; i += 4) {
      channel.putInt(i, 0x4141_4141);
    }
    assertThat(alloc(DEVICE, 9, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, channel)).isEqualTo(OK);
    FakeDriver.Seen seen = driver.seen(ProgramEscape.ALLOC).getLast();
    assertThat(seen.inBlock(140)).isEqualTo(0x4141_4141);
    assertThat(seen.inBlock(144)).isZero();
    assertThat(seen.inBlock(300)).isZero();
    assertThat(seen.inBlock(304)).isEqualTo(0x4141_4141);
    assertThat(relay.programs().getFirst().channels()).isEqualTo(1);
  }

  /** The kernel would keep all that such an event says, until somebody asks. */
  @Test
  void event_withData_isRefused() {
    device();
    ByteBuffer event = block(24, client, DEVICE, 0x79, 0x2800_0001, card);
    assertThat(alloc(DEVICE, 11, ProgramClass.NV01_EVENT_OS_EVENT, event)).isEqualTo(NOT_SUPPORTED);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().word(12)).isNotEqualTo(0x79);
  }

  @Test
  void event_neverTellsAnAddressOfTheKernel() {
    device();
    ByteBuffer event = block(24, client, DEVICE, 0x79, 0x1000_0001, card);
    ByteBuffer answer =
        program
            .ioctl(
                control,
                ProgramEscape.ALLOC,
                alloc(client, DEVICE, 11, ProgramClass.NV01_EVENT_OS_EVENT),
                event)
            .blocks(2)
            .get(1);
    assertThat(answer.getInt(16)).as("its own file").isEqualTo(card);
    assertThat(answer.getInt(20)).isZero();
  }

  @Test
  void osEvent_bringsTheDescriptorThatWakes() {
    TestProgram.Answer answer =
        program.ioctl(card, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, card));
    assertThat(answer.fds()).hasSize(1);
    answer.fds().forEach(Fd::close);
    assertThat(answer.blocks(1).getFirst().getInt(8)).isEqualTo(card);
    assertThat(status(card, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, control)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(status(control, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, control)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  @Test
  void lists_ofControls_comeAndGo() {
    ByteBuffer block = block(24, 2);
    TestProgram.Answer answer =
        program.ioctl(
            control,
            ProgramEscape.CONTROL,
            block(32, client, DEVICE, 0x80170d, 0, 0, 0, 24),
            block,
            block(8),
            block(8));
    assertThat(answer.blocks(4).get(2).get(0)).isEqualTo((byte) 'c');
    assertThat(answer.blocks(4).get(3).get(0)).isEqualTo((byte) 'd');
    assertThat(controlStatus(client, 0x80170d, block, block(8), block(16)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x80170d, block(24, 0x4000_0000), block(8), block(8)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x80170d, block, block(8), block(8), block(8)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @EnumSource(ProgramControl.class)
  void pointers_ofAProgram_neverReachTheDriver(ProgramControl known) {
    int bytes = known.shape().bytes() < 0 ? 16 : known.shape().bytes();
    ByteBuffer block = block(bytes);
    known.shape().lists().forEach(list -> block.putLong(list.pointer(), 0x7fff_dead_beefL));
    int _ = controlStatus(client, known.command(), block);
    for (FakeDriver.Seen seen : driver.seen(ProgramEscape.CONTROL)) {
      known.shape().lists().forEach(list -> assertThat(seen.longInBlock(list.pointer())).isZero());
    }
  }

  @Test
  void device_ofNoClientsAddressSpace_isOfItsOwn() {
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().inBlock(4)).isEqualTo(client);
  }

  @Test
  void device_withoutItsBlock_isNone() {
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(0)))
        .isEqualTo(INVALID_ARGUMENT);
  }
}
