package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.relay.RelaySession;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.MachineLink;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import io.sluice.channel.nvidia.relay.link.ProgramTurn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs in machines: the same relay, by memory that both have. */
final class RelaySessionTest extends RelayFixture {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long SEGMENT = 16L << 20;

  @Override
  TestProgram connect() {
    MachineProgram made = new MachineProgram(kernel, kernel.eventfd(0, Kernel.NONBLOCK));
    PeerCredentials machine = new PeerCredentials(4711, 1000, 1000);
    threads.add(Thread.ofPlatform().start(() -> relay.serve(made.port, machine)));
    programs.add(made);
    return made;
  }

  private MachineProgram machine() {
    return (MachineProgram) program;
  }

  private static void until(BooleanSupplier condition) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - until).isNegative();
      Thread.onSpinWait();
    }
  }

  private void system(int handle, long bytes, int status) {
    ByteBuffer wanted = memory(bytes);
    wanted.putInt(24, 0x3a00_0000);
    assertThat(alloc(DEVICE, handle, ProgramClass.NV01_MEMORY_SYSTEM, wanted)).isEqualTo(status);
  }

  private TestProgram.Answer pin(int handle, long bytes, int segment, long offset) {
    ByteBuffer argument = block(56, client, DEVICE, handle, 0x71);
    argument.putLong(24, 0x7fff_0000_0000L);
    argument.putLong(32, bytes - 1);
    byte[] body = TestProgram.body(argument);
    long length = 1 | (long) segment << 32;
    return program.ask(
        RelayRequest.IOCTL,
        card,
        TestProgram.request(ProgramEscape.ALLOC_MEMORY),
        offset,
        length,
        body,
        List.of());
  }

  private int pinStatus(int handle, long bytes, int segment, long offset) {
    return pin(handle, bytes, segment, offset).blocks(1).getFirst().getInt(40);
  }

  private void free(int handle) {
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, handle)))
        .isEqualTo(OK);
  }

  @Test
  void programs_areSeenAsTheirMachine() {
    assertThat(relay.programs().getFirst().peer().pid()).isEqualTo(4711);
    assertThat(relay.programs().getFirst().files()).isEqualTo(3);
  }

  @Test
  void systemMemory_isOfASegmentThatIsWantedOnce() {
    device();
    system(MEMORY, 5000, OK);
    system(MEMORY + 1, 4096, OK);
    assertThat(machine().segments).hasSize(1);
    assertThat(machine().segment(1).byteSize()).isEqualTo(SEGMENT);

    mapped(MEMORY + 1, 0, 4096);
    TestProgram.Answer answer = program.map(card, 0, 4096, 0);
    assertThat(answer.file()).isEqualTo(1);
    assertThat(answer.address()).isEqualTo(8192);
    assertThat(program.map(card, 0, 4097, 0).error()).isEqualTo(Errno.EINVAL.number());
    FakeDriver.Seen made = driver.seen(ProgramEscape.ALLOC_MEMORY).getLast();
    MemorySegment pinned = MemorySegment.ofAddress(longAt(made.argument(), 24)).reinterpret(4096);
    machine().segment(1).set(ValueLayout.JAVA_INT, 8192, 0x5eed);
    assertThat(pinned.get(ValueLayout.JAVA_INT, 0)).as("RM's and the program's").isEqualTo(0x5eed);
  }

  private static long longAt(byte[] argument, int at) {
    return MemorySegment.ofArray(argument).get(ValueLayout.JAVA_LONG_UNALIGNED, at);
  }

  @Test
  void memoryThatIsFreed_isGivenAgain_asZeros() {
    device();
    system(MEMORY, 4096, OK);
    machine().segment(1).set(ValueLayout.JAVA_LONG, 8, 1);
    free(MEMORY);
    system(MEMORY, 8192, OK);
    assertThat(machine().segments).hasSize(1);
    assertThat(machine().segment(1).get(ValueLayout.JAVA_LONG, 8)).isZero();
    mapped(MEMORY, 0, 8192);
    free(MEMORY);
    assertThat(program.map(card, 0, 4096, 0).error()).isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void largeMemory_hasASegmentOfItsOwn() {
    hostLimit.set(1L << 30);
    device();
    system(MEMORY, SEGMENT + 4096, OK);
    assertThat(machine().segment(1).byteSize()).isEqualTo(SEGMENT + 4096);
  }

  @Test
  void machinesWithoutMemory_areAskedForLess_thenItIsOutOfMemory() {
    device();
    machine().gives = 0;
    system(MEMORY, 4096, NO_MEMORY);
    assertThat(machine().gives).as("asked for a large and for a small one").isEqualTo(-2);
    machine().gives = 1;
    system(MEMORY, 4096, OK);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(4096);
  }

  @Test
  void segmentsThatNobodyWants_areRefused() {
    assertThat(machine().give(1, SEGMENT)).isFalse();
    device();
    system(MEMORY, 4096, OK);
    assertThat(machine().give(2, SEGMENT)).isFalse();
    assertThat(machine().give(1, SEGMENT)).isFalse();
  }

  @Test
  void somethingElseThanAGrant_endsTheProgram() {
    device();
    machine().answersWrongly = true;
    // The last answer, if it sees it, is an error without a block.
    assertThatThrownBy(() -> system(MEMORY, 4096, OK))
        .isInstanceOfAny(AssertionError.class, IndexOutOfBoundsException.class);
    until(() -> machine().port.isOver());
  }

  @Test
  void programs_thatLeaveWhereMemoryIsWanted_leaveNothing() {
    device();
    machine().leaves = true;
    assertThatThrownBy(() -> system(MEMORY, 4096, OK)).hasMessageContaining("it has left");
    until(() -> machine().port.isOver());
  }

  /** Whoever moves its memory does not wait for a machine. */
  @Test
  void turn_isFreeWhileMemoryIsWanted() throws Exception {
    ProgramTurn turn = new ProgramTurn();
    MachineProgram other = new MachineProgram(kernel, kernel.eventfd(0, Kernel.NONBLOCK));
    programs.add(other);
    Thread server =
        Thread.ofPlatform()
            .start(() -> {
              try (MachinePort port = other.port;
                  Arena arena = Arena.ofConfined();
                  MachineLink link = new MachineLink(kernel, System::nanoTime, port, turn, arena)) {
                turn.take();
                link.blank(4096, () -> {}).close();
                turn.giveBack();
              } catch (Denial e) {
                throw new AssertionError(e);
              }
            });
    threads.add(server);
    other.await();
    assertThat(turn.tryTake(PATIENCE.toNanos())).isTrue();
    turn.giveBack();
    other.grant();
    server.join();
    assertThat(turn.tryTake(0)).isTrue();
  }

  @Test
  void pinnedMemory_isWhatTheProgramHasReserved() {
    device();
    TestProgram.Answer piece = machine().reserve(12_000);
    assertThat(piece.error()).isZero();
    assertThat(piece.file()).isEqualTo(1);
    assertThat(pinStatus(MEMORY, 4096, 1, piece.address() + 8192)).isEqualTo(OK);
    assertThat(pinStatus(MEMORY + 1, 8192, 1, piece.address() + 8192)).isEqualTo(INVALID_ADDRESS);
    assertThat(pinStatus(MEMORY + 1, 4096, 1, piece.address() + 12)).isEqualTo(INVALID_ADDRESS);
    assertThat(pinStatus(MEMORY + 1, 4096, 2, piece.address())).isEqualTo(INVALID_ADDRESS);
    assertThat(pinStatus(MEMORY + 1, 4096, -1, piece.address())).isEqualTo(INVALID_ADDRESS);
    assertThat(pinStatus(MEMORY + 1, 4096, 1, -4096)).isEqualTo(INVALID_ADDRESS);
    assertThat(pinStatus(MEMORY + 1, 4096, 0, 0)).isEqualTo(NOT_SUPPORTED);
    assertThat(pinStatus(MEMORY + 1, Long.MIN_VALUE, 1, piece.address())).isNotEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(4096);
  }

  @Test
  void reservedMemory_isReservedUntilBothHaveLetGo() {
    device();
    TestProgram.Answer first = machine().reserve(4096);
    assertThat(pinStatus(MEMORY, 4096, 1, first.address())).isEqualTo(OK);
    assertThat(machine().release(1, first.address()).error()).isZero();
    assertThat(machine().release(1, first.address()).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(pinStatus(MEMORY + 1, 4096, 1, first.address())).isEqualTo(INVALID_ADDRESS);
    TestProgram.Answer second = machine().reserve(4096);
    assertThat(second.address()).isNotEqualTo(first.address());
    free(MEMORY);
    assertThat(machine().reserve(4096).address()).isEqualTo(first.address());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, (1L << 30) + 1, Long.MAX_VALUE, Long.MIN_VALUE})
  void reservations_ofNoSize_areRefused(long bytes) {
    assertThat(machine().reserve(bytes).error()).isNotZero();
    assertThat(machine().segments).isEmpty();
  }

  @Test
  void segments_areNoMoreThanASessionMayHave() {
    device();
    assertThat(machine().reserve(200L << 20).error()).isZero();
    assertThat(machine().reserve((1L << 30) - (199L << 20)).error())
        .isEqualTo(Errno.ENOMEM.number());
    assertThat(machine().reserve(4096).error()).isZero();
  }

  @Test
  void filesThatWake_haveAnEventThatCounts() {
    TestProgram.Answer answer =
        program.ioctl(card, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, card));
    assertThat(answer.file()).isEqualTo(1);
    assertThat(answer.fds()).isEmpty();
    assertThat(machine().event(1)).isZero();
    int again = program.open("nvidia0");
    assertThat(
            program
                .ioctl(again, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, again))
                .file())
        .isEqualTo(2);
    Fd woken = driver.opened("nvidia0").get(1);
    kernel.signal(woken);
    until(() -> machine().event(2) > 0);
    long _ = kernel.drain(woken); // which the driver's own does when it is asked
    assertThat(machine().event(1)).isZero();
    assertThat(program.close(card).error()).isZero();
    assertThat(program.close(again).error()).isZero();
    int third = program.open("nvidia0");
    assertThat(
            program
                .ioctl(third, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, third))
                .file())
        .as("numbers of closed files are used again")
        .isEqualTo(1);
  }

  @Test
  void filesThatWake_areNoMoreThanThereAreEvents() {
    for (int i = 1; i <= RelaySession.MAX_EVENTS; i++) {
      int file = program.open("nvidia0");
      assertThat(
              program
                  .ioctl(file, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, file))
                  .file())
          .isEqualTo(i);
    }
    int more = program.open("nvidia0");
    assertThat(status(more, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, more)))
        .isEqualTo(NO_MEMORY);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 31, 33, -8, 1 << 17})
  void messages_ofAWrongLength_endTheProgram(int bytes) {
    machine().shared.set(ValueLayout.JAVA_INT, RelaySession.MESSAGE, bytes);
    machine().ring();
    until(() -> machine().port.isOver());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, RelayRequest.HELLO, RelayRequest.MEMORY, 9, -1})
  void operationsThatAreNone_endTheProgram(int op) {
    assertThatThrownBy(() -> program.ask(op, 0, 1, 0, 0, new byte[0], List.of()))
        .hasMessageContaining("ended the session");
  }

  @Test
  void doorbell_isAPageThatTheMachineHas() {
    device();
    assertThat(alloc(DEVICE, 21, ProgramClass.HOPPER_USERMODE_A, block(2, 0x0101))).isEqualTo(OK);
    int page = program.open("nvidia0");
    assertThat(mapStatus(21, 0, 65536, page)).isEqualTo(OK);
    TestProgram.Answer answer = program.map(page, 0, 65536, 0);
    assertThat(answer.file()).isEqualTo(RelaySession.DOORBELL);
    assertThat(answer.fds()).isEmpty();
  }
}
