package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PageFramesTest {
  /** They were taken for the bytes of the run, and what a page lacked ended the engine. */
  @Test
  void read_zerosWithBytesBehindThem_areRefusedBeforeAnyRun() {
    byte[] payload = new FieldWriter().bits(0).bits(1).u64(4096).bits(2).bits(0).bits(77).toBytes();
    Frame frame = Frame.of(FrameType.ZEROS, ByteBuffer.wrap(payload));
    List<Long> runs = new ArrayList<>();

    assertThatThrownBy(() -> PageFrames.read(frame, (offset, _, _) -> runs.add(offset)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("zeros have no bytes");
    assertThat(runs).isEmpty();
  }
}
