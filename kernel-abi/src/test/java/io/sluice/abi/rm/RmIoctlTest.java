package io.sluice.abi.rm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RmIoctlTest {
  private static final RmAbi ABI = RmAbi.of("580.159.04");

  @ParameterizedTest
  @CsvSource({
    "RM_ALLOC_MEMORY, 0xC0384627",
    "RM_FREE, 0xC0104629",
    "RM_CONTROL, 0xC020462A",
    "RM_ALLOC, 0xC020462B",
    "RM_DUP_OBJECT, 0xC01C4634",
    "RM_SHARE, 0xC0184635",
    "RM_IDLE_CHANNELS, 0xC0384641",
    "RM_MAP_MEMORY, 0xC038464E",
    "RM_UNMAP_MEMORY, 0xC020464F",
    "RM_MAP_MEMORY_DMA, 0xC0404657",
    "RM_UNMAP_MEMORY_DMA, 0xC0304658",
    "CARD_INFO, 0xC90046C8",
    "REGISTER_FD, 0xC00446C9",
    "ALLOC_OS_EVENT, 0xC01046CE",
    "CHECK_VERSION_STR, 0xC04846D2",
  })
  void request_ofEachIoctl_isTheWordTheDriverTakes(RmIoctl ioctl, String request) {
    assertThat(ABI.request(ioctl)).isEqualTo(Long.decode(request));
  }

  @ParameterizedTest
  @CsvSource({
    "NV01_MEMORY_SYSTEM, 0x003e, 128",
    "NV01_MEMORY_LOCAL_USER, 0x0040, 128",
    "NV01_ROOT_CLIENT, 0x0041, 0",
    "NV01_MEMORY_VIRTUAL, 0x0070, 24",
    "NV01_MEMORY_SYSTEM_OS_DESCRIPTOR, 0x0071, 0",
    "NV01_EVENT_OS_EVENT, 0x0079, 24",
    "NV01_DEVICE_0, 0x0080, 56",
    "NV20_SUBDEVICE_0, 0x2080, 4",
    "FERMI_CONTEXT_SHARE_A, 0x9067, 12",
    "FERMI_VASPACE_A, 0x90f1, 56",
    "KEPLER_CHANNEL_GROUP_A, 0xa06c, 20",
    "HOPPER_USERMODE_A, 0xc661, 2",
    "HOPPER_CHANNEL_GPFIFO_A, 0xc86f, 368",
    "HOPPER_DMA_COPY_A, 0xc8b5, 8",
    "HOPPER_COMPUTE_A, 0xcbc0, 0",
  })
  void layout_ofEachClass_hasTheSizeTheDriverTakes(RmClass type, String number, long size) {
    assertThat(type.number()).isEqualTo(Integer.decode(number));
    assertThat(ABI.layout(type).map(layout -> layout.byteSize()).orElse(0L)).isEqualTo(size);
  }

  @ParameterizedTest
  @CsvSource({
    "GPU_GET_ID_INFO_V2, 0x205, 32",
    "GPU_GET_CLASSLIST_V2, 0x800292, 804",
    "GPU_GET_NAME_STRING, 0x20800110, 132",
    "GPU_GET_GID_INFO, 0x2080014a, 268",
    "GPU_GET_ENGINES_V2, 0x20800170, 340",
    "EVENT_SET_NOTIFICATION, 0x20800301, 20",
    "FB_GET_INFO_V2, 0x20801303, 1028",
    "FIFO_DISABLE_CHANNELS, 0x2080110b, 536",
    "GR_SET_CTXSW_PREEMPTION_MODE, 0x20801210, 32",
    "GR_GET_CURRENT_RESIDENT_CHANNEL, 0x2080121c, 24",
    "PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2, 0x20802096, 55888",
    "CE_GET_CAPS_V2, 0x20802a03, 8",
    "GPFIFO_SCHEDULE, 0xa06c0101, 3",
    "SET_TIMESLICE, 0xa06c0103, 8",
    "GET_TIMESLICE, 0xa06c0104, 8",
    "PREEMPT, 0xa06c0105, 8",
    "STOP_CHANNEL, 0xa06f0112, 1",
    "GPFIFO_GET_WORK_SUBMIT_TOKEN, 0xc36f0108, 4",
  })
  void layout_ofEachCommand_hasTheSizeTheDriverTakes(RmControl control, String command, long size) {
    assertThat(control.command()).isEqualTo(Long.decode(command).intValue());
    assertThat(ABI.layout(control).byteSize()).isEqualTo(size);
  }

  @Test
  void header_ofSemaphore_isTheWordTheHostDecodes() {
    assertThat(HopperMethods.header(0, HopperMethods.SEM_ADDR_LO, 5)).isEqualTo(0x2005_0017);
    assertThat(HopperMethods.header(4, HopperMethods.COPY_LAUNCH_DMA, 1)).isEqualTo(0x2001_80c0);
  }

  @Test
  void entry_ofPushbuffer_holdsAddressAndWords() {
    assertThat(HopperMethods.entry(0x10_0000_0004L, 7)).isEqualTo(7L << 42 | 0x10_0000_0004L);
  }
}
