package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.channel.MovableMemory.Moved;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that channels name, which is to stay as long as they do. */
final class RelayChannelMemoryTest extends RelayFixture {
  private static final int OTHER_DEVICE = 0x5c00_0003;
  private static final int CHANNEL = 0x5c00_0030;
  private static final int GROUP = 0x5c00_0031;
  private static final int BYTES = 1 << 20;

  @BeforeEach
  void memory() {
    device();
    assertThat(video(DEVICE)).isEqualTo(OK);
  }

  private int video(int parent) {
    return alloc(parent, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(BYTES));
  }

  private void channel(int parent, int offset) {
    ByteBuffer parameters = block(368);
    parameters.putInt(offset, MEMORY);
    assertThat(alloc(parent, CHANNEL, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, parameters))
        .isEqualTo(OK);
  }

  private int freed(int handle) {
    return status(control, ProgramEscape.FREE, block(16, client, client, handle));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 32, 60, 140})
  void memory_thatAChannelNames_staysUntilTheChannelIsFreed(int offset) {
    channel(DEVICE, offset);
    int before = driver.seen(ProgramEscape.FREE).size();
    assertThat(freed(MEMORY)).isEqualTo(INVALID_STATE);
    assertThat(driver.seen(ProgramEscape.FREE)).hasSize(before);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(BYTES);
    assertThat(freed(CHANNEL)).isEqualTo(OK);
    assertThat(freed(MEMORY)).isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void memory_thatAGroupNames_staysUntilTheGroupIsFreed(int offset) {
    ByteBuffer parameters = block(20);
    parameters.putInt(offset, MEMORY);
    assertThat(alloc(DEVICE, GROUP, ProgramClass.KEPLER_CHANNEL_GROUP_A, parameters)).isEqualTo(OK);
    assertThat(freed(MEMORY)).isEqualTo(INVALID_STATE);
    assertThat(freed(GROUP)).isEqualTo(OK);
    assertThat(freed(MEMORY)).isEqualTo(OK);
  }

  @Test
  void memory_whoseChannelWentWithItsGroup_isFreed() {
    assertThat(alloc(DEVICE, GROUP, ProgramClass.KEPLER_CHANNEL_GROUP_A, block(20))).isEqualTo(OK);
    channel(GROUP, 32);
    assertThat(freed(MEMORY)).isEqualTo(INVALID_STATE);
    assertThat(freed(GROUP)).isEqualTo(OK);
    assertThat(freed(MEMORY)).isEqualTo(OK);
  }

  @Test
  void memory_underAnotherDeviceThanTheChannel_keepsThatDevice() {
    assertThat(freed(MEMORY)).isEqualTo(OK);
    assertThat(alloc(client, OTHER_DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 0, client)))
        .isEqualTo(OK);
    assertThat(video(OTHER_DEVICE)).isEqualTo(OK);
    channel(DEVICE, 32);
    assertThat(freed(OTHER_DEVICE)).isEqualTo(INVALID_STATE);
    assertThat(freed(DEVICE)).isEqualTo(OK);
    assertThat(freed(OTHER_DEVICE)).isEqualTo(OK);
  }

  @Test
  void deviceOrClient_withTheChannelAndItsMemory_goes() {
    channel(DEVICE, 32);
    assertThat(freed(DEVICE)).isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    device();
    assertThat(video(DEVICE)).isEqualTo(OK);
    channel(DEVICE, 32);
    assertThat(freed(client)).isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  /** It would be freed, and others be in its place. */
  @Test
  void memory_thatAChannelNames_isNotReplacedByPagesOfOurs() {
    channel(DEVICE, 32);
    assertThat(mapStatus(MEMORY, 0, BYTES)).isEqualTo(NOT_SUPPORTED);
    assertThat(freed(CHANNEL)).isEqualTo(OK);
    assertThat(mapStatus(MEMORY, 0, BYTES)).isEqualTo(OK);
  }

  @Test
  void data_thatAChannelNames_doesNotMove() {
    assertThat(
            controlStatus(
                client,
                ProgramControl.REGISTER_VIDMEM.command(),
                block(ProgramControl.REGISTER_VIDMEM.shape().bytes(), MEMORY)))
        .isEqualTo(OK);
    external(0x10_0000_0000L, MEMORY);
    assertThat(alloc(DEVICE, DEVICE + 1, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
    channel(DEVICE, 32);
    assertThat(relay.evict(1, BYTES)).isEqualTo(Moved.NONE);
    assertThat(freed(CHANNEL)).isEqualTo(OK);
    assertThat(relay.evict(1, BYTES)).isEqualTo(new Moved(1, BYTES));
  }

  /** It is the relay that frees pages of its own, with their range. */
  @Test
  void pagesOfARange_thatAChannelNames_stayWhenTheRangeIsFreed() {
    long base = 0x2_04a0_0000L;
    pool(base);
    ByteBuffer parameters = block(368);
    parameters.putInt(32, 0x5e10_0000);
    assertThat(alloc(DEVICE, CHANNEL, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, parameters))
        .isEqualTo(OK);
    free(base);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(2 << 20);
    assertThat(freed(CHANNEL)).isEqualTo(OK);
    assertThat(freed(0x5e10_0000)).isEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }
}
