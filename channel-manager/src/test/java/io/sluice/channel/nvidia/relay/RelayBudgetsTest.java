package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.link.MemoryShare;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts that a program of a guest may not go beyond: the next one is refused, the rest works. */
final class RelayBudgetsTest extends RelayFixture {
  private static final int GROUP = 0x5c00_0020;
  private static final int FIRST = 0x5d00_0000;
  private static final int GRAPHICS = 1;
  private static final long PAGE = 4096;

  @BeforeEach
  void device0() {
    device();
  }

  private static void assertRefused(TestProgram.Answer answer) {
    assertThat(answer.error()).isEqualTo(Errno.ENOMEM.number());
  }

  private TestProgram.Answer tryAlloc(
      int parent, int handle, ProgramClass type, ByteBuffer parameters) {
    return program.ioctl(
        control, ProgramEscape.ALLOC, alloc(client, parent, handle, type), parameters);
  }

  private void freed(int parent, int handle) {
    assertThat(status(control, ProgramEscape.FREE, block(16, client, parent, handle)))
        .isEqualTo(OK);
  }

  @Test
  void objects_beyondTheLimit_areRefusedUntilOneIsFreed() {
    driver.look(false);
    int had = driver.objects();
    for (int i = 0; i < ProgramObjects.MAX_OBJECTS - had; i++) {
      assertThat(alloc(DEVICE, FIRST + i, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
    }
    int next = FIRST + ProgramObjects.MAX_OBJECTS;

    assertRefused(tryAlloc(DEVICE, next, ProgramClass.NV20_SUBDEVICE_0, block(4)));
    assertRefused(tryAlloc(0, 0, ProgramClass.NV01_ROOT, block(4)));
    assertThat(driver.objects()).isEqualTo(ProgramObjects.MAX_OBJECTS);

    freed(DEVICE, FIRST);
    assertThat(alloc(DEVICE, next, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
    freed(client, DEVICE); // with all that hangs below it
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 0, client)))
        .isEqualTo(OK);
    assertThat(alloc(DEVICE, FIRST, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
  }

  @Test
  void channels_beyondTheLimit_areRefusedUntilOneIsFreed() {
    ByteBuffer engine = block(20, 0, 0, 0, GRAPHICS, 0);
    assertThat(alloc(DEVICE, GROUP, ProgramClass.KEPLER_CHANNEL_GROUP_A, engine)).isEqualTo(OK);
    for (int i = 0; i < ProgramObjects.MAX_CHANNELS; i++) {
      assertThat(alloc(GROUP, FIRST + i, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, block(368)))
          .isEqualTo(OK);
    }
    int next = FIRST + ProgramObjects.MAX_CHANNELS;

    assertRefused(tryAlloc(GROUP, next, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, block(368)));
    assertThat(relay.programs().getFirst().channels()).isEqualTo(ProgramObjects.MAX_CHANNELS);

    freed(GROUP, FIRST);
    assertThat(alloc(GROUP, next, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, block(368))).isEqualTo(OK);
  }

  /** Without the relay, whose budget of descriptors is less before this kernel. */
  @Test
  void ranges_beyondTheLimit_areRefusedUntilOneIsFreed() {
    UvmSpace.Counts counts =
        new UvmSpace.Counts(new ProgramHeap(new MemoryShare(MemoryBudget.upTo(() -> 1 << 30))));
    UvmRanges ranges = new UvmRanges(counts);
    RmObject.Name name = new RmObject.Name(client, MEMORY);
    RmObject memory = new RmObject(name, name, Optional.empty(), 0);
    for (int i = 0; i < UvmSpace.Counts.MAX_RANGES; i++) {
      counts.requireRange();
      ranges.add(new UvmRanges.BackedRange(i * PAGE, memory));
    }

    assertThatThrownBy(counts::requireRange)
        .isInstanceOfSatisfying(
            RefusedException.class, refusal -> assertThat(refusal.errno()).isEqualTo(Errno.ENOMEM))
        .hasMessageContaining("SLU-RLY-002");

    ranges.remove(new UvmRanges.BackedRange(0, memory));
    counts.requireRange();
  }

  /** All at one address, which is where they are dearest to find. */
  @Test
  void maps_beyondTheLimit_areRefusedUntilTheRangeIsFreed() {
    long base = 0x10_0000_0000L;
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(PAGE)))
        .isEqualTo(OK);
    driver.look(false);
    external(base, MEMORY);
    ByteBuffer map = externalMap(base);
    for (int i = 1; i < UvmSpace.Counts.MAX_MAPS; i++) {
      assertThat(program.ioctl(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION.number(), map).error())
          .isZero();
    }

    assertRefused(program.ioctl(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION.number(), map));

    freed(DEVICE, MEMORY);
    assertThat(relay.programs().getFirst().videoBytes()).as("UVM has it").isEqualTo(PAGE);
    free(base);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(PAGE)))
        .isEqualTo(OK);
    external(base, MEMORY);
  }

  private ByteBuffer externalMap(long base) {
    ByteBuffer map = block(9264);
    map.putLong(0, base);
    map.putLong(8, 1 << 20);
    map.putInt(9248, control);
    map.putInt(9252, client);
    map.putInt(9256, MEMORY);
    return map;
  }

  @Test
  void externalRanges_beyondTheLimit_areRefusedUntilOneIsFreed() {
    driver.look(false);
    ByteBuffer range = block(24);
    range.putLong(8, PAGE);
    for (int i = 0; i < UvmSpace.Counts.MAX_MAPS; i++) {
      range.putLong(0, i * PAGE);
      assertThat(program.ioctl(uvm, UvmCommand.CREATE_EXTERNAL_RANGE.number(), range).error())
          .isZero();
    }
    range.putLong(0, UvmSpace.Counts.MAX_MAPS * PAGE);

    assertRefused(program.ioctl(uvm, UvmCommand.CREATE_EXTERNAL_RANGE.number(), range));

    free(0);
    assertThat(program.ioctl(uvm, UvmCommand.CREATE_EXTERNAL_RANGE.number(), range).error())
        .isZero();
  }
}
