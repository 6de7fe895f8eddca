package io.sluice.abi.rm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.alloc.CopyAlloc;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RmAbiTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "580",
        "580.159.05",
        "570.133.20",
        "610.10",
        "580.159.04-rc1",
        "v580.142",
        "0x1.2"
      })
  void of_versionNotInTheTable_isRefusedWithThoseThatAre(String version) {
    assertThatThrownBy(() -> RmAbi.of(version))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("version=" + version + " ")
        .hasMessageContaining("known=580.105.08,580.142,580.159.03,580.159.04 [SLU-RM-001]");
  }

  @Test
  void known_printedAndParsed_areThemselvesInOrder() {
    List<RmVersion> known = RmAbi.known();
    assertThat(known).isSorted().hasSize(4);
    for (RmVersion version : known) {
      assertThat(RmVersion.parse(version.toString())).hasValue(version);
      assertThat(RmAbi.of(version.toString())).isNotNull();
    }
  }

  @Test
  void with_blockThatGrewAtItsEnd_changesThatBlockOnly() {
    StructLayout grown =
        MemoryLayout.structLayout(
            Layouts.U32.withName("version"),
            Layouts.U32.withName("engineType"),
            Layouts.U64.withName("more"));
    RmAbi before = RmAbi.of("580.159.04");
    RmAbi after = before.with(RmClass.HOPPER_DMA_COPY_A, grown);
    assertThat(after.layout(RmClass.HOPPER_DMA_COPY_A)).hasValue(grown);
    assertThat(before.layout(RmClass.HOPPER_DMA_COPY_A)).hasValue(CopyAlloc.LAYOUT);
    for (RmClass type : RmClass.values()) {
      if (type != RmClass.HOPPER_DMA_COPY_A) {
        assertThat(after.layout(type)).isEqualTo(before.layout(type));
      }
    }
  }

  @Test
  void with_memberThatMoved_isRefused() {
    StructLayout moved =
        MemoryLayout.structLayout(
            Layouts.U32.withName("engineType"), Layouts.U32.withName("version"));
    assertThatThrownBy(() -> RmAbi.of("580.142").with(RmClass.HOPPER_DMA_COPY_A, moved))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has moved");
  }

  @Test
  void with_commandBlockOfOtherWidth_isRefused() {
    StructLayout wider = MemoryLayout.structLayout(Layouts.U64.withName("workSubmitToken"));
    assertThatThrownBy(
            () -> RmAbi.of("580.142").with(RmControl.GPFIFO_GET_WORK_SUBMIT_TOKEN, wider))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
