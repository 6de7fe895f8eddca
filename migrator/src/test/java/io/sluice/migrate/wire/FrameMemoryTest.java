package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameMemoryTest {
  private static final int FRAME_BYTES = 256 << 10;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void give_ofAFrameOfPages_isTakenAgain(boolean direct) {
    FrameMemory memory = new FrameMemory(direct, 2);
    ByteBuffer first = memory.take(FRAME_BYTES);
    assertThat(first.isDirect()).isEqualTo(direct);
    first.position(100).limit(200);
    memory.give(first);
    ByteBuffer again = memory.take(FRAME_BYTES + 8);
    assertThat(again).isSameAs(first);
    assertThat(again.position()).isZero();
    assertThat(again.limit()).isEqualTo(FRAME_BYTES + 8);
    assertThat(memory.take(FRAME_BYTES)).isNotSameAs(first);
  }

  @Test
  void give_moreThanAreKept_leavesThemToTheCollector() {
    FrameMemory memory = new FrameMemory(false, 2);
    List<ByteBuffer> taken = Stream.generate(() -> memory.take(FRAME_BYTES)).limit(3).toList();
    taken.forEach(memory::give);
    assertThat(memory.take(FRAME_BYTES)).isSameAs(taken.get(1));
    assertThat(memory.take(FRAME_BYTES)).isSameAs(taken.get(0));
    ByteBuffer other = memory.take(FRAME_BYTES);
    assertThat(taken).noneMatch(buffer -> buffer == other);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4096, FrameMemory.BYTES + 1, 1 << 20})
  void take_ofAnotherSize_isAnArrayOfItsOwn(int bytes) {
    FrameMemory memory = new FrameMemory(true, 2);
    ByteBuffer taken = memory.take(bytes);
    assertThat(taken.isDirect()).isFalse();
    assertThat(taken.remaining()).isEqualTo(bytes);
    memory.give(taken);
    assertThat(memory.take(bytes)).isNotSameAs(taken);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void give_ofSomebodyElses_isNotKept(boolean direct) {
    FrameMemory memory = new FrameMemory(direct, 2);
    ByteBuffer other =
        direct
            ? ByteBuffer.allocate(FrameMemory.BYTES)
            : ByteBuffer.allocateDirect(FrameMemory.BYTES);
    memory.give(other);
    memory.give(memory.take(FRAME_BYTES).asReadOnlyBuffer());
    ByteBuffer taken = memory.take(FRAME_BYTES);
    assertThat(taken).isNotSameAs(other);
    assertThat(taken.isReadOnly()).isFalse();
  }
}
