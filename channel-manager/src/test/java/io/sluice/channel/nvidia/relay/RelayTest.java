package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The relay's protocol, the files of its programs, calls that are not listed, and the ends. */
final class RelayTest extends RelayFixture {
  // ---- what is no protocol ends the program alone ----

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 31, 33, FILE_SIZE + 8, -8})
  void message_thatLiesAboutItsLength_endsTheProgramAlone(int bytes) {
    TestProgram other = connect();
    ByteBuffer raw = block(32, bytes, RelayRequest.HELLO, 0, 1);

    assertThat(other.survives(raw.array())).isFalse();

    assertThat(program.open("nvidiactl")).isPositive();
  }

  /** Where the daemon has its memory, and by which numbers its files, is none of their business. */
  @Test
  void answers_haveTheProgramsPointersAndDescriptors() {
    device();
    ByteBuffer event = block(24, client, 0, 0x79, 0x1000_0000, card);
    List<ByteBuffer> made =
        program
            .ioctl(
                control,
                ProgramEscape.ALLOC,
                alloc(client, DEVICE, MEMORY, ProgramClass.NV01_EVENT_OS_EVENT),
                event)
            .blocks(2);
    assertThat(made.get(0).getInt(40)).isEqualTo(OK);
    assertThat(made.get(0).getLong(16)).isEqualTo(0x7fff_0000_1000L);
    assertThat(made.get(1).getInt(16)).isEqualTo(card);

    ByteBuffer lists = block(40, 8);
    lists.putLong(8, 0x7000_0008L).putLong(16, 0x7000_0010L).putLong(24, 0x7000_0018L);
    int command = ProgramControl.SYSTEM_GET_BUILD_VERSION.command();
    ByteBuffer argument = block(32, client, client, command, 0, 0x2000, 0x7fff, 40);
    List<ByteBuffer> answer =
        program
            .ioctl(control, ProgramEscape.CONTROL, argument, lists, block(8), block(8), block(8))
            .blocks(5);
    assertThat(answer.get(0).getLong(16)).isEqualTo(0x7fff_0000_2000L);
    assertThat(answer.get(1).getLong(8)).isEqualTo(0x7000_0008L);
    assertThat(answer.get(1).getLong(16)).isEqualTo(0x7000_0010L);
    assertThat(answer.get(1).getLong(24)).isEqualTo(0x7000_0018L);
    assertThat(answer.get(2).get(0)).as("what the driver wrote").isEqualTo((byte) 'c');
  }

  @Test
  void requests_beforeHelloAndHelloTwice_endTheProgram() {
    TestProgram other = connect();
    assertThat(other.survives(block(32, 32, RelayRequest.CLOSE, 1).array())).isFalse();
    TestProgram twice = connect();
    assertThat(twice.hello().error()).isZero();
    assertThat(twice.survives(block(32, 32, RelayRequest.HELLO, 0, 1).array())).isFalse();
  }

  @Test
  void blocks_thatLieAboutTheirLength_endTheProgram() {
    ByteBuffer raw =
        block(32 + 16 + 16, 64, RelayRequest.IOCTL, control, 0, 0, 0, 2, 0, 16, 1 << 30);
    assertThat(program.survives(raw.array())).isFalse();
  }

  @Test
  void programs_beyondTheLimit_areTurnedAway() {
    TestProgram second = connect();
    TestProgram third = connect();
    assertThat(second.hello().error()).isZero();
    assertThat(third.hello().error()).isZero();
    TestProgram fourth = connect();
    assertThat(fourth.survives(block(32, 32, RelayRequest.HELLO, 0, 1).array())).isFalse();
    assertThat(relay.programs()).hasSize(3);
    assertThat(dropped).hasValue(4);
  }

  // ---- files ----

  @Test
  void nodes_ofOthers_areNotThere() {
    assertThat(program.tryOpen("nvidia1").error()).isEqualTo(Errno.ENOENT.number());
    assertThat(program.tryOpen("../etc/passwd").error()).isEqualTo(Errno.ENOENT.number());
    assertThat(program.tryOpen("nvidia-uvm-tools").error()).isEqualTo(Errno.ENOENT.number());
  }

  @Test
  void files_ofNobody_areBad() {
    assertThat(program.close(4711).error()).isEqualTo(Errno.EBADF.number());
    assertThat(program.ioctl(4711, ProgramEscape.SYS_PARAMS, block(8)).error())
        .isEqualTo(Errno.EBADF.number());
    assertThat(program.close(card).error()).isZero();
    assertThat(program.close(card).error()).isEqualTo(Errno.EBADF.number());
  }

  @Test
  void files_beyondTheLimit_areRefusedAndTheRestWorks() {
    int last = 0;
    TestProgram.Answer answer = program.tryOpen("nvidiactl");
    while (answer.error() == 0) {
      last = answer.file();
      answer = program.tryOpen("nvidiactl");
    }
    assertThat(answer.error()).isEqualTo(Errno.EMFILE.number());
    assertThat(relay.programs().getFirst().files()).isEqualTo(ProgramFiles.MAX_FILES);
    assertThat(program.close(last).error()).isZero();
    assertThat(program.open("nvidiactl")).isPositive();
  }

  // ---- what is not known is refused ----

  @ParameterizedTest
  @ValueSource(ints = {0xc010_46d3, 0xc020_4634, 0xc008_46d8, 0xc020_462b, 0x5401, 0})
  void escapes_thatAreNotListed_areInvalid(int request) {
    int size = request >>> 16 & 0x3fff;
    assertThat(program.ioctl(control, request, block(size)).error())
        .isEqualTo(Errno.EINVAL.number());
    assertThat(driver.seen()).hasSize(1); // the client's making
    assertThat(relay.programs().getFirst().refused()).isEqualTo(1);
  }

  @Test
  void arguments_ofAnotherLengthThanTheRequestSays_areInvalid() {
    int request = TestProgram.request(ProgramEscape.SYS_PARAMS);
    assertThat(program.ioctl(control, request, block(16)).error()).isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void classes_thatAreNotListed_areRefused() {
    device();
    ByteBuffer argument = block(48, client, DEVICE, MEMORY, 0x5080);
    assertThat(
            program
                .ioctl(control, ProgramEscape.ALLOC, argument, block(0))
                .blocks(2)
                .getFirst()
                .getInt(40))
        .isEqualTo(INVALID_CLASS);
    assertThat(relay.programs().getFirst().refused()).isEqualTo(1);
  }

  @Test
  void commands_thatAreNotListed_areRefused() {
    assertThat(controlStatus(client, 0x2080_018d, block(64))).isEqualTo(NOT_SUPPORTED);
    assertThat(driver.seen(ProgramEscape.CONTROL)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0x3e, 0x3f, 0x38, 0x47, 0x7fff_ffff})
  void commandsOfUvm_thatAreNotListed_areInvalid(int command) {
    assertThat(program.ioctl(uvm, command, block(64)).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(driver.seen()).hasSize(1);
  }

  @Test
  void flags_thatChangeWhatABlockIs_areRefused() {
    ByteBuffer argument = block(32, client, DEVICE, 0x1f0, 4, 0, 0, 4);
    assertThat(
            program
                .ioctl(control, ProgramEscape.CONTROL, argument, block(4))
                .blocks(2)
                .getFirst()
                .getInt(28))
        .isEqualTo(INVALID_ARGUMENT);
    ByteBuffer make = alloc(client, client, DEVICE, ProgramClass.NV01_DEVICE_0);
    make.putInt(36, 1);
    assertThat(
            program
                .ioctl(control, ProgramEscape.ALLOC, make, block(56, 0, client))
                .blocks(2)
                .getFirst()
                .getInt(40))
        .isEqualTo(INVALID_ARGUMENT);
  }

  // ---- the end ----

  @Test
  void controlFile_thatIsClosed_takesItsClientsAlong() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    assertThat(program.close(control).error()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(driver.objects()).isZero();
  }

  @Test
  void controlFiles_thatComeAndGoWithMemory_leaveNoFile() {
    for (int i = 0; i < 2 * ProgramFiles.MAX_FILES; i++) {
      int file = program.open("nvidiactl");
      int own = client(program, file);
      ByteBuffer answer =
          program
              .ioctl(
                  file,
                  ProgramEscape.ALLOC,
                  alloc(own, own, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM),
                  memory(4096))
              .blocks(2)
              .getFirst();
      assertThat(answer.getInt(40)).isEqualTo(OK);
      assertThat(program.close(file).error()).isZero();
    }
    assertThat(relay.programs().getFirst().files()).isEqualTo(3);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  @Test
  void program_thatIsEnded_leavesNothing() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(4096))).isEqualTo(OK);
    assertThat(relay.end(4711)).isFalse();
    assertThat(relay.end(relay.programs().getFirst().number())).isTrue();
    assertThat(program.survives(block(32, 32, RelayRequest.CLOSE, 1).array())).isFalse();
  }

  @Test
  void relay_thatIsClosed_sendsAllAwayAndTakesNoMore() throws InterruptedException {
    relay.close();
    for (Thread thread : threads) {
      thread.join();
    }
    TestProgram late = connect();
    assertThat(late.survives(block(32, 32, RelayRequest.HELLO, 0, 1).array())).isFalse();
  }

  /** Libcuda takes a refusal for the end of a wait, or for another error of a kernel. */
  @Test
  void answeredCommands_succeedAndAreNotPassed() {
    device();
    int before = driver.seen(ProgramEscape.CONTROL).size();
    int interrupts = ProgramControl.MC_SERVICE_INTERRUPTS.command();
    int errors = ProgramControl.DEBUG_CLEAR_ALL_SM_ERROR_STATES.command();
    assertThat(controlStatus(client, interrupts, block(4, -1))).isEqualTo(OK);
    assertThat(controlStatus(client, errors, block(8, DEVICE, 132))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.CONTROL)).hasSize(before);
    assertThat(controlStatus(client, interrupts, block(8, -1))).isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client + 1, errors, block(8, -1))).isEqualTo(INVALID_CLIENT);
  }
}
