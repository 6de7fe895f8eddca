package io.sluice.abi.pscnv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PscnvIoctlTest {
  @ParameterizedTest
  @CsvSource({
    "GETPARAM,     0x00, 16, 0xC0106440, 0xC0106440",
    "GEM_NEW,      0x20, 64, 0xC0406460, 0xC0406460",
    "GEM_INFO,     0x21, 64, 0xC0406461, 0xC0406461",
    "VSPACE_NEW,   0x22,  4, 0x80046462, 0xC0046462",
    "VSPACE_FREE,  0x23,  4, 0x40046463, 0xC0046463",
    "VSPACE_MAP,   0x24, 40, 0xC0286464, 0xC0286464",
    "VSPACE_UNMAP, 0x25, 16, 0x40106465, 0xC0106465",
    "CHAN_NEW,     0x26, 16, 0xC0106466, 0xC0106466",
    "CHAN_FREE,    0x27,  4, 0x40046467, 0xC0046467",
    "OBJ_VDMA_NEW, 0x28, 32, 0x40206468, 0xC0206468",
    "FIFO_INIT,    0x29, 24, 0x40186469, 0xC0186469",
    "OBJ_ENG_NEW,  0x2a, 16, 0x4010646A, 0xC010646A",
    "FIFO_INIT_IB, 0x2b, 32, 0x4020646B, 0xC020646B",
    "VM_READ32,    0x2c, 24, 0x4018646C, 0xC018646C",
    "VM_WRITE32,   0x2d, 24, 0x4018646D, 0xC018646D",
    "VM_READ,      0x2e, 40, 0x4028646E, 0xC028646E",
    "VM_WRITE,     0x2f, 40, 0x4028646F, 0xC028646F",
    "VM_MAP,       0x30, 16, 0x40106470, 0xC0106470",
    "VM_UNMAP,     0x31, 16, 0x40106471, 0xC0106471",
    "PHYS_GETADDR, 0x32, 32, 0x40206472, 0xC0206472",
  })
  void request_ofPscnv_isTheNumberTheDriverKnows(
      PscnvIoctl ioctl, String nr, int size, String header, String request) {
    assertThat(ioctl.nr()).isEqualTo(Integer.decode(nr));
    assertThat(ioctl.sizeBytes()).isEqualTo(size);
    assertThat(ioctl.headerRequest()).isEqualTo(Long.decode(header).intValue());
    assertThat(ioctl.request()).isEqualTo(Long.decode(request).intValue());
  }

  @ParameterizedTest
  @CsvSource({
    "EXT_INFO,         0x50, 0x30",
    "EVENT_FD,         0x51, 0x8",
    "EVENT_READ,       0x52, 0x808",
    "REGION_ADD,       0x53, 0x20",
    "REGION_DEL,       0x54, 0x8",
    "GEM_IMPORT,       0x55, 0x18",
    "GEM_IMPORT_PAGES, 0x56, 0x1810",
    "CHAN_NEW_AT,      0x57, 0x18",
    "CHAN_CONTROL,     0x58, 0x10",
    "CHAN_QUERY,       0x59, 0x50",
    "CHAN_STATE,       0x5a, 0x3010",
    "CHAN_PARAM,       0x5b, 0x10",
    "GEM_POOL,         0x5c, 0x8",
    "DIRTY_READ,       0x5d, 0x1018",
    "FILE_QUERY,       0x5e, 0x68",
    "GEM_NEW_AT,       0x5f, 0x50",
  })
  void request_ofExtension_isAsTheArchitectureSays(PscnvIoctl ioctl, String nr, String size) {
    assertThat(ioctl.nr()).isEqualTo(Integer.decode(nr));
    assertThat(ioctl.sizeBytes()).isEqualTo(Integer.decode(size));
    assertThat(ioctl.request())
        .isEqualTo(0xC0006400 | Integer.decode(size) << 16 | (0x40 + Integer.decode(nr)));
    assertThat(ioctl.headerRequest()).isEqualTo(ioctl.request());
  }

  @Test
  void values_allTogether_areTheTwentyOfPscnvAndSixteenOfOurs() {
    assertThat(
            Arrays.stream(PscnvIoctl.values())
                .collect(
                    Collectors.partitioningBy(each -> each.nr() >= 0x50, Collectors.counting())))
        .containsEntry(false, 20L)
        .containsEntry(true, 16L);
  }

  @Test
  void of_everyRequestInBothForms_findsIt() {
    for (PscnvIoctl ioctl : PscnvIoctl.values()) {
      assertThat(PscnvIoctl.of(ioctl.request())).isEqualTo(Optional.of(ioctl));
      assertThat(PscnvIoctl.of(ioctl.headerRequest())).isEqualTo(Optional.of(ioctl));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0xC0106441", "0xC0406400", "0xC0106540", "0xC01064A0", "0x0"})
  void of_numberOfNoIoctl_isEmpty(String request) {
    assertThat(PscnvIoctl.of(Long.decode(request).intValue())).isEmpty();
  }

  @Test
  void mapHandle_ofChannelAndBuffer_readsBack() {
    assertThat(PscnvMapHandle.ofChannel(126)).isEqualTo(0xc07e0000L);
    assertThat(PscnvMapHandle.isChannel(0xc07e0000L)).isTrue();
    assertThat(PscnvMapHandle.isBuffer(0xc07e0000L)).isFalse();
    assertThat(PscnvMapHandle.channel(0xc07e0000L)).isEqualTo(126);
    assertThat(PscnvMapHandle.ofBuffer(-1)).isEqualTo(0xffffffff00000000L);
    assertThat(PscnvMapHandle.isBuffer(0xffffffff00000000L)).isTrue();
    assertThat(PscnvMapHandle.buffer(0xffffffff00000000L)).isEqualTo(-1);
    assertThat(PscnvMapHandle.isChannel(0xc0800000L)).isFalse();
    assertThat(PscnvMapHandle.isChannel(0xc0000001L)).isFalse();
  }
}
