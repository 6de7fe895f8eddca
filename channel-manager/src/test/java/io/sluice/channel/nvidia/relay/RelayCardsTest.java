package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.control.GpuGid;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.time.TimeSlices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program that goes on upon another card, before a driver in memory that has two. */
final class RelayCardsTest extends RelayChannelFixture {
  private static final int OTHER_ID = 0x101;
  private static final int OTHER_INSTANCE = 1;
  private static final UUID OTHER_UUID = UUID.fromString("cd1bfc2d-f50a-7ef3-197c-f36b4afa1315");
  private static final int DOORBELL = 0x5c00_0040;

  private final OtherCard port = new OtherCard(driver);
  private final AtomicLong otherLimit = new AtomicLong(1 << 20);
  private final MemoryBudget otherVideo = MemoryBudget.upTo(otherLimit::get);
  private final DriverRelay other =
      relay.beside(
          port,
          new RelayCard("other", OTHER_ID, 1, OTHER_INSTANCE, OTHER_UUID),
          otherVideo,
          port,
          new TimeSlices());
  private final List<Thread> watching = new ArrayList<>();
  private final List<Integer> moved = new ArrayList<>(); // files whose doorbell was replaced

  @AfterEach
  void close() throws InterruptedException {
    program.close();
    for (Thread each : threads) {
      each.join();
    }
    for (Thread each : watching) {
      each.join();
    }
    other.close();
    assertThat(otherVideo.bytes()).isZero();
  }

  private void resumeThere() {
    token(NEXT_TOKEN);
    assertThat(other.resumeHere(number())).isTrue();
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }

  private FakeDriver.Seen last(ProgramEscape escape, int type) {
    return driver.seen(escape).stream()
        .filter(each -> each.word(escape == ProgramEscape.ALLOC ? 12 : 8) == type)
        .reduce((_, later) -> later)
        .orElseThrow();
  }

  @Test
  void program_thatIsNotThere_isNotResumedElsewhere() {
    assertThat(other.resumeHere(99)).isFalse();
  }

  @Test
  void program_thatRuns_doesNotGoElsewhere() {
    assertThatThrownBy(() -> other.resumeHere(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the program is running");
    assertThat(relay.programs().getFirst().gpu()).isEqualTo("card");
  }

  @Test
  void relay_thatIsClosed_takesNone() {
    suspend();
    other.close();
    assertThatThrownBy(() -> other.resumeHere(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the relay is closed");
    resume();
  }

  @Test
  void program_thatWentElsewhere_runsWhatItHasSubmittedMeanwhile() {
    data();
    submit(method(0), 0xcbc0, method(0x2bc), 1);
    suspend();
    ran.clear();
    submit(method(0x2bc), 100);
    resumeThere();

    assertThat(relay.programs().getFirst().gpu()).isEqualTo("other");
    assertThat(ran).startsWith(method(0), 0xcbc0).endsWith(method(0x2bc), 100);
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
    assertThat(notifier.get(ValueLayout.JAVA_INT, 24)).isEqualTo(NEXT_TOKEN);
    ran.clear();
    submit(method(0x2bc), 2);
    assertThat(ran).containsExactly(method(0x2bc), 2);
  }

  /** By its number, by its instance, and by its UUID, wherever the program says one of them. */
  @Test
  void names_ofTheCard_becomeThoseOfTheOther() {
    attach();
    suspend();
    resumeThere();
    assertThat(last(ProgramEscape.ALLOC, ProgramClass.NV01_DEVICE_0.number()).inBlock(0))
        .isEqualTo(OTHER_INSTANCE);
    assertThat(last(ProgramEscape.CONTROL, ProgramControl.GPU_ATTACH_IDS.command()).inBlock(0))
        .isEqualTo(OTHER_ID);
    FakeDriver.Seen mapped = driver.seen(UvmCommand.MAP_EXTERNAL_ALLOCATION).getLast();
    assertThat(GpuGid.uuid(MemorySegment.ofArray(mapped.argument()), 24)).isEqualTo(OTHER_UUID);
    assertThat(driver.opened("nvidia1")).isNotEmpty();
  }

  private void attach() {
    ByteBuffer ids = block(132, 0x100, -1);
    assertThat(controlStatus(client, ProgramControl.GPU_ATTACH_IDS.command(), ids)).isEqualTo(OK);
  }

  @Test
  void answers_aboutTheCard_haveTheNamesThatTheProgramKnows() {
    suspend();
    resumeThere();
    ByteBuffer ids =
        program
            .ioctl(
                control,
                ProgramEscape.CONTROL,
                block(
                    32,
                    client,
                    DEVICE,
                    ProgramControl.GPU_GET_ATTACHED_IDS.command(),
                    0,
                    0x2000,
                    0x7fff,
                    128),
                block(128))
            .blocks(2)
            .get(1);
    assertThat(ids.getInt(0)).isEqualTo(0x100);
    assertThat(ids.getInt(4)).isEqualTo(-1);
    int file = program.open("nvidia0");
    assertThat(file).isPositive();
    assertThat(driver.seen(ProgramEscape.CARD_INFO)).isEmpty();
  }

  @Test
  void memory_isCountedOnTheCardThatHasIt() {
    data();
    suspend();
    resumeThere();
    assertThat(otherVideo.bytes()).isEqualTo(1 << 20);
    assertThat(other.evictedBytes()).isZero();
    videoLimit.set(0); // of the card that it has left
    suspend();
    assertThat(otherVideo.bytes()).isZero();
    resumeThere();
    suspend();
    videoLimit.set(1 << 20);
    resumeBack();
    assertThat(otherVideo.bytes()).isZero();
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
  }

  private void resumeBack() {
    token(NEXT_TOKEN);
    assertThat(relay.resumeHere(number())).isTrue();
    assertThat(relay.programs().getFirst().gpu()).isEqualTo("card");
  }

  @Test
  void cardWithoutRoom_leavesItSuspendedWhereItWas() {
    data();
    suspend();
    otherLimit.set(4096);
    assertThatThrownBy(() -> other.resumeHere(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("more video memory than the guest may have");
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.SUSPENDED);
    assertThat(relay.programs().getFirst().gpu()).isEqualTo("card");
    assertThat(otherVideo.bytes()).isZero();
    resume();
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
  }

  @Test
  void memory_thatIsMovedByTheQuotas_isThatOfTheCard() {
    data();
    assertThat(controlStatus(client, ProgramControl.REGISTER_VIDMEM.command(), block(32, DATA)))
        .isEqualTo(OK);
    suspend();
    resumeThere();
    assertThat(relay.evict(1 << 20, 1 << 20).bytes()).isZero();
    assertThat(other.evict(1 << 20, 1 << 20).bytes()).isEqualTo(1 << 20);
    assertThat(other.evictedBytes()).isEqualTo(1 << 20);
    suspend();
    resumeBack();
    assertThat(relay.evictedBytes()).isEqualTo(1 << 20);
    assertThat(relay.restore(1 << 20, 1 << 20).bytes()).isEqualTo(1 << 20);
  }

  /** Maps the doorbell, as libcuda does: its file's number. */
  private int doorbell() {
    assertThat(alloc(DEVICE, DOORBELL, ProgramClass.HOPPER_USERMODE_A, block(2, 0x0101)))
        .isEqualTo(OK);
    int page = program.open("nvidia0");
    assertThat(mapStatus(DOORBELL, 0, 65536, page)).isEqualTo(OK);
    program.map(page, 0, 65536, 0).fds().forEach(Fd::close);
    return page;
  }

  /** The taking of a doorbell, as a program's library does it, or otherwise. */
  private interface Taking {
    /**
     * @param end on which it answers
     * @param message the acknowledgement, as it should be
     * @return whether it takes others
     */
    boolean take(Fd end, MemorySegment message);
  }

  /** Has the program take other doorbells. */
  private void watch(Taking taking) {
    Fd end = program.ask(RelayRequest.WATCH, 0, 0, 0, 0, new byte[0], List.of()).fds().getFirst();
    watching.add(Thread.ofPlatform().start(() -> serve(end, taking)));
  }

  private void serve(Fd end, Taking taking) {
    FdList came = new FdList();
    try (end;
        Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(RelayReply.LAYOUT);
      boolean more = true;
      while (more && kernel.recvmsg(end, message, came) == message.byteSize()) {
        assertThat(came.size()).isEqualTo(1);
        came.closeAll();
        moved.add(RelayReply.FILE.bits(message));
        RelayReply.FILE.setBits(message, 0);
        more = taking.take(end, message);
      }
    }
  }

  private boolean acknowledge(Fd end, MemorySegment message) {
    kernel.sendmsg(end, message, List.of());
    return true;
  }

  @Test
  void doorbell_ofTheOtherCard_isGivenToTheProgramBeforeItRings() {
    int page = doorbell();
    List<Integer> tokens = new ArrayList<>();
    watch((end, message) -> {
      tokens.add(notifier.get(ValueLayout.JAVA_INT, 24));
      return acknowledge(end, message);
    });
    suspend();
    resumeThere();
    suspend();
    resumeThere(); // on the same card nothing is given
    suspend();
    resumeBack();
    assertThat(moved).containsExactly(page, page);
    assertThat(tokens).containsExactly(OtherCard.OTHER_IDLE_TOKEN, FakeDriver.IDLE_TOKEN);
  }

  @Test
  void program_thatTakesNoOtherDoorbell_staysWhereItWas() {
    int _ = doorbell();
    suspend();
    assertThatThrownBy(() -> other.resumeHere(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("takes no other card's doorbell");
    assertThat(relay.programs().getFirst().gpu()).isEqualTo("card");
    resumeBack(); // without asking it for anything
    submit(method(0x2bc), 2);
    assertThat(ran).endsWith(method(0x2bc), 2);
  }

  @Test
  void program_thatDoesNotMapIt_staysSuspendedAndMayComeLater() {
    int page = doorbell();
    List<Integer> errors = new ArrayList<>(List.of(12, 0));
    watch((end, message) -> {
      RelayReply.ERROR.set(message, errors.removeFirst());
      return acknowledge(end, message);
    });
    suspend();
    token(NEXT_TOKEN);
    assertThatThrownBy(() -> other.resumeHere(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("errno=12");
    assertThat(relay.programs().getFirst().gpu()).isEqualTo("card");
    resumeBack();
    assertThat(moved).as("which it has is not known").containsExactly(page, page);
  }

  private void staysSuspended() {
    suspend();
    assertThatThrownBy(() -> other.resumeHere(number())).isInstanceOf(RefusedException.class);
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.SUSPENDED);
  }

  @Test
  void program_thatClosesTheWay_staysSuspended() {
    int _ = doorbell();
    watch((_, _) -> false);
    staysSuspended();
  }

  @Test
  void program_thatAcknowledgesOtherDoorbells_staysSuspended() {
    int _ = doorbell();
    watch((end, message) -> {
      for (int i = 0; i < 100; i++) {
        RelayReply.VALUE.setBits(message, i - 200);
        boolean _ = acknowledge(end, message);
      }
      return false;
    });
    staysSuspended();
  }

  /** It is waited for as long as a program that says nothing, and no longer. */
  @Test
  void program_thatAcknowledgesOtherDoorbellsForEver_staysSuspended() {
    int _ = doorbell();
    AtomicBoolean over = new AtomicBoolean();
    watch((end, message) -> {
      RelayReply.VALUE.setBits(message, -1);
      while (!over.get()) {
        boolean _ = acknowledge(end, message);
      }
      return false;
    });
    staysSuspended();
    over.set(true);
  }

  @Test
  void program_thatSendsHalfAnAcknowledgement_staysSuspended() {
    int _ = doorbell();
    watch((end, message) -> acknowledge(end, message.asSlice(0, 5)));
    staysSuspended();
  }

  /** Nothing that comes there is kept. */
  @Test
  void program_thatSendsDescriptors_losesThem() {
    int _ = doorbell();
    watch((end, message) -> {
      try (Fd file = kernel.eventfd(0, 0)) {
        kernel.sendmsg(end, message, List.of(file, file));
      }
      return true;
    });
    suspend();
    resumeThere();
  }

  @Test
  void ways_areCountedOnceAndEndWithTheProgram() {
    for (int i = 0; i < 5; i++) {
      watch(this::acknowledge);
    }
    program.close(); // the fixture looks at what is left
  }
}
