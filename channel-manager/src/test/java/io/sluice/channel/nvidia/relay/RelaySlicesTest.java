package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.channel.nvidia.time.GuestSlices;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time of programs' channel groups: slices, preemption, whose channel has the engine. */
class RelaySlicesTest extends RelayFixture {
  private static final int GRAPHICS = 1;
  private static final int COPY = 0xb;
  private static final int INVALID_STATE = 0x40;
  private static final int SUBDEVICE = 0x5c00_0002;
  private static final int GROUP = 0x5c00_0020;
  private static final int SET_TIMESLICE = ProgramControl.SET_TIMESLICE.command();
  private static final int CMD = 8;

  private int told;

  @BeforeEach
  void device0() {
    device();
  }

  private int group(int handle, int engine) {
    return alloc(
        DEVICE, handle, ProgramClass.KEPLER_CHANNEL_GROUP_A, block(20, 0, 0, 0, engine, 0));
  }

  /** The slices that were set since this was asked last, as handle and microseconds. */
  private List<String> slices() {
    List<FakeDriver.Seen> all =
        driver.seen(ProgramEscape.CONTROL).stream()
            .filter(call -> call.word(CMD) == SET_TIMESLICE)
            .toList();
    List<FakeDriver.Seen> fresh = all.subList(told, all.size());
    told = all.size();
    return fresh.stream()
        .map(call -> String.format("%x %d", call.word(4), call.longInBlock(0)))
        .toList();
  }

  private void ask(int handle, long microseconds) {
    ByteBuffer argument = block(32, client, handle, SET_TIMESLICE, 0, 0x2000, 0x7fff, 8);
    ByteBuffer wanted = block(8).putLong(0, microseconds);
    assertThat(
            program
                .ioctl(control, ProgramEscape.CONTROL, argument, wanted)
                .blocks(2)
                .getFirst()
                .getInt(28))
        .isEqualTo(OK);
  }

  @Test
  void group_noWeights_hasWhatItAsksForUpToWhatLibcudaDoes() {
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(slices()).isEmpty();
    ask(GROUP, 500);
    ask(GROUP, 1L << 40);
    ask(GROUP, -1);
    assertThat(slices()).containsExactly("5c000020 500", "5c000020 2048", "5c000020 2048");
  }

  @Test
  void group_weight_hasItsPartWhateverItAsksFor() {
    relay.setWeight(3);
    time.join("db-01").weigh(1);
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(slices()).containsExactly("5c000020 3072");
    ask(GROUP, 1L << 40);
    assertThat(slices()).containsExactly("5c000020 3072");
    assertThat(group(GROUP + 1, COPY)).isEqualTo(OK);
    assertThat(slices()).as("another engine").containsExactly("5c000021 3072");
    assertThat(group(GROUP + 2, GRAPHICS)).isEqualTo(OK);
    assertThat(slices()).containsExactly("5c000020 1536", "5c000022 1536");
  }

  @Test
  void refresh_weightHasChanged_setsSlicesOnce() {
    relay.setWeight(2);
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(slices()).as("alone").containsExactly("5c000020 1024");
    relay.refresh();
    assertThat(slices()).as("as before").isEmpty();
    GuestSlices other = time.join("db-01");
    other.weigh(1);
    relay.refresh();
    relay.refresh();
    assertThat(slices()).containsExactly("5c000020 2048");
    time.leave("db-01");
    relay.refresh();
    assertThat(slices()).containsExactly("5c000020 1024");
  }

  @Test
  void refresh_guestHasChannelsOfItsOwn_programsHaveTheRest() {
    relay.setWeight(1);
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(slices()).containsExactly("5c000020 1024");
    GuestSlices own = time.join("web-01");
    own.put(this, Map.of(GRAPHICS, GuestSlices.USUAL_PART));
    relay.refresh();
    assertThat(slices()).containsExactly("5c000020 512");
    assertThat(own.microseconds(GRAPHICS, GuestSlices.USUAL_PART)).hasValue(512);
    own.put(this, Map.of());
    relay.refresh();
    assertThat(slices()).containsExactly("5c000020 1024");
  }

  @Test
  void refresh_groupsAreGone_setsNothing() {
    relay.setWeight(1);
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(group(GROUP + 1, GRAPHICS)).isEqualTo(OK);
    assertThat(slices()).hasSize(3);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, GROUP))).isEqualTo(OK);
    assertThat(slices()).as("nothing before it is looked at").isEmpty();
    relay.refresh();
    assertThat(slices()).containsExactly("5c000021 1024");
    relay.setWeight(4);
    assertThat(program.close(control).error()).isZero();
    relay.refresh();
    assertThat(slices()).isEmpty();
    assertThat(time.join("web-01").microseconds(GRAPHICS, 1)).as("all of it").hasValue(1024);
  }

  @Test
  void group_tooMany_isRefused() {
    for (int i = 0; i < ProgramObjects.MAX_GROUPS; i++) {
      assertThat(group(GROUP + i, GRAPHICS)).isEqualTo(OK);
    }
    TestProgram.Answer answer =
        program.ioctl(
            control,
            ProgramEscape.ALLOC,
            alloc(client, DEVICE, GROUP - 1, ProgramClass.KEPLER_CHANNEL_GROUP_A),
            block(20, 0, 0, 0, GRAPHICS, 0));
    assertThat(answer.error()).isEqualTo(Errno.ENOMEM.number());
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().word(8)).isNotEqualTo(GROUP - 1);
  }

  private void channel(int handle, int group, int token) {
    ByteBuffer parameters = block(368);
    assertThat(alloc(group, handle, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, parameters))
        .isEqualTo(OK);
    driver.answerTokens(token);
    ByteBuffer argument =
        block(
            32,
            client,
            handle,
            ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN.command(),
            0,
            0x2000,
            0x7fff,
            4);
    program.ioctl(control, ProgramEscape.CONTROL, argument, block(4));
  }

  @Test
  void channel_ofTheGraphicsEngine_isKnownByItsNumberWhileItIsThere() {
    assertThat(relay.mayCompute()).isFalse();
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(group(GROUP + 1, COPY)).isEqualTo(OK);
    channel(GROUP + 8, GROUP, 0x1_0004);
    channel(GROUP + 9, GROUP + 1, 0x2_0005);
    assertThat(relay.has(4)).isTrue();
    assertThat(relay.has(5)).as("of a copy engine").isFalse();
    assertThat(relay.mayCompute()).isTrue();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, GROUP, GROUP + 8)))
        .isEqualTo(OK);
    assertThat(relay.has(4)).isFalse();
    channel(GROUP + 8, GROUP, 0x1_0006);
    assertThat(program.close(control).error()).isZero();
    assertThat(relay.mayCompute()).as("its files are closed").isFalse();
  }

  private int schedule(int group) {
    ByteBuffer argument =
        block(32, client, group, ProgramControl.GPFIFO_SCHEDULE.command(), 0, 0x2000, 0x7fff, 3);
    return program
        .ioctl(control, ProgramEscape.CONTROL, argument, block(3))
        .blocks(2)
        .getFirst()
        .getInt(28);
  }

  private List<Integer> commands() {
    return driver.seen(ProgramEscape.CONTROL).stream().map(call -> call.word(CMD)).toList();
  }

  @Test
  void schedule_withoutSubdevice_isRefused() {
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(schedule(GROUP)).isEqualTo(INVALID_STATE);
    assertThat(commands()).isEmpty();
  }

  @Test
  void schedule_rmDoesNotPreempt_isRefused() {
    subdevice();
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    driver.refuse(ProgramControl.GR_SET_CTXSW_PREEMPTION_MODE);
    assertThat(schedule(GROUP)).isEqualTo(INVALID_STATE);
    assertThat(commands()).containsExactly(ProgramControl.GR_SET_CTXSW_PREEMPTION_MODE.command());
  }

  @Test
  void schedule_ofTheGraphicsEngine_isPreemptedAtAnyInstruction() {
    subdevice();
    assertThat(group(GROUP, GRAPHICS)).isEqualTo(OK);
    assertThat(schedule(GROUP)).isEqualTo(OK);
    FakeDriver.Seen mode = driver.seen(ProgramEscape.CONTROL).getFirst();
    assertThat(mode.word(4)).isEqualTo(SUBDEVICE);
    assertThat(mode.inBlock(4)).isEqualTo(GROUP);
    assertThat(mode.inBlock(12)).isEqualTo(2);
    assertThat(commands())
        .containsExactly(
            ProgramControl.GR_SET_CTXSW_PREEMPTION_MODE.command(),
            ProgramControl.GPFIFO_SCHEDULE.command());
  }

  @Test
  void schedule_ofACopyEngine_isPassedAlone() {
    assertThat(group(GROUP, COPY)).isEqualTo(OK);
    assertThat(schedule(GROUP)).isEqualTo(OK);
    assertThat(commands()).containsExactly(ProgramControl.GPFIFO_SCHEDULE.command());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 77, -1})
  void preemption_whateverAProgramAsksFor_isAtAnyInstruction(int mode) {
    subdevice();
    ByteBuffer argument =
        block(
            32,
            client,
            SUBDEVICE,
            ProgramControl.GR_SET_CTXSW_PREEMPTION_MODE.command(),
            0,
            0x2000,
            0x7fff,
            32);
    program.ioctl(control, ProgramEscape.CONTROL, argument, block(32, 1, GROUP, 0, mode));
    assertThat(driver.seen(ProgramEscape.CONTROL).getLast().inBlock(12)).isEqualTo(2);
  }

  private void subdevice() {
    assertThat(alloc(DEVICE, SUBDEVICE, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
  }
}
