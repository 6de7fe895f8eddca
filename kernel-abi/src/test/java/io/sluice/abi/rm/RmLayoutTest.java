package io.sluice.abi.rm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Structs;
import io.sluice.abi.rm.alloc.ChannelAlloc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * No machine needs NVIDIA's headers, so the structures stand here a second time: sizes and offsets
 * as a C compiler gives them for declarations that an H200's driver was driven with, 580.159.04.
 */
final class RmLayoutTest {
  private static final List<String> STRUCTURES =
      List.of(
          "NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS 20: gpuId@0:4 gpuFlags@4:4"
              + " deviceInstance@8:4 subDeviceInstance@c:4 sliStatus@10:4 boardId@14:4"
              + " gpuInstance@18:4 numaId@1c:4",
          "NV0005_ALLOC_PARAMETERS 18: hParentClient@0:4 hSrcResource@4:4 hClass@8:4"
              + " notifyIndex@c:4 data@10:8",
          "NV0080_ALLOC_PARAMETERS 38: deviceId@0:4 hClientShare@4:4 hTargetClient@8:4"
              + " hTargetDevice@c:4 flags@10:4 vaSpaceSize@18:8 vaStartInternal@20:8"
              + " vaLimitInternal@28:8 vaMode@30:4",
          "NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS 324: numClasses@0:4 classList@4:320",
          "NV2080_ALLOC_PARAMETERS 4: subDeviceId@0:4",
          "NV2080_CTRL_CE_GET_CAPS_V2_PARAMS 8: ceEngineType@0:4 capsTbl@4:2",
          "NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS 14: event@0:4 action@4:4"
              + " bNotifyState@8:1 info32@c:4 info16@10:2",
          "NV2080_CTRL_FB_GET_INFO_V2_PARAMS 404: fbInfoListSize@0:4 fbInfoList@4:400",
          "NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS 218: bDisable@0:1 numChannels@4:4"
              + " bOnlyDisableScheduling@8:1 bRewindGpPut@9:1 pRunlistPreemptEvent@10:8"
              + " hClientList@18:100 hChannelList@118:100",
          "NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS 154: engineCount@0:4 engineList@4:150",
          "NV2080_CTRL_GPU_GET_GID_INFO_PARAMS 10c: index@0:4 flags@4:4 length@8:4 data@c:100",
          "NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS 84: gpuNameStringFlags@0:4"
              + " gpuNameString@4:80",
          "NV2080_CTRL_GR_GET_CURRENT_RESIDENT_CHANNEL_PARAMS 18: chID@0:4 grRouteFlags@8:4"
              + " grRoute@10:8",
          "NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS 20: flags@0:4 hChannel@4:4"
              + " gfxpPreemptMode@8:4 cilpPreemptMode@c:4 grRouteFlags@10:4 grRoute@18:8",
          "NV2080_CTRL_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2_PARAMS da50: type@0:1"
              + " bufSize@4:4 count@8:4 tracker@c:4 samples@10:da40",
          "NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS 68: addrHi@0:4 addrLo@4:4 faultType@8:4"
              + " faultString@c:20 shaderProgramVA@30:38",
          "NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS 3: bEnable@0:1 bSkipSubmit@1:1 bSkipEnable@2:1",
          "NVA06C_CTRL_PREEMPT_PARAMS 8: bWait@0:1 bManualTimeout@1:1 timeoutUs@4:4",
          "NVA06C_CTRL_TIMESLICE_PARAMS 8: timesliceUs@0:8",
          "NVA06F_CTRL_STOP_CHANNEL_PARAMS 1: bImmediate@0:1",
          "NVC0B5_ALLOCATION_PARAMETERS 8: version@0:4 engineType@4:4",
          "NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS 4: workSubmitToken@0:4",
          "NVOS00_PARAMETERS 10: hRoot@0:4 hObjectParent@4:4 hObjectOld@8:4 status@c:4",
          "NVOS21_PARAMETERS 20: hRoot@0:4 hObjectParent@4:4 hObjectNew@8:4 hClass@c:4"
              + " pAllocParms@10:8 paramsSize@18:4 status@1c:4",
          "NVOS30_PARAMETERS 38: hClient@0:4 hDevice@4:4 hChannel@8:4 numChannels@c:4"
              + " phClients@10:8 phDevices@18:8 phChannels@20:8 flags@28:4 timeout@2c:4"
              + " status@30:4",
          "NVOS34_PARAMETERS 20: hClient@0:4 hDevice@4:4 hMemory@8:4 pLinearAddress@10:8"
              + " status@18:4 flags@1c:4",
          "NVOS46_PARAMETERS 40: hClient@0:4 hDevice@4:4 hDma@8:4 hMemory@c:4 offset@10:8"
              + " length@18:8 flags@20:4 flags2@24:4 kindOverride@28:4 dmaOffset@30:8 status@38:4",
          "NVOS47_PARAMETERS 30: hClient@0:4 hDevice@4:4 hDma@8:4 hMemory@c:4 flags@10:4"
              + " dmaOffset@18:8 size@20:8 status@28:4",
          "NVOS54_PARAMETERS 20: hClient@0:4 hObject@4:4 cmd@8:4 flags@c:4 params@10:8"
              + " paramsSize@18:4 status@1c:4",
          "NVOS55_PARAMETERS 1c: hClient@0:4 hParent@4:4 hObject@8:4 hClientSrc@c:4"
              + " hObjectSrc@10:4 flags@14:4 status@18:4",
          "NVOS57_PARAMETERS 18: hClient@0:4 hObject@4:4 target@8:4 accessMask@c:4 type@10:2"
              + " action@12:1 status@14:4",
          "NVOS64_PARAMETERS 30: hRoot@0:4 hObjectParent@4:4 hObjectNew@8:4 hClass@c:4"
              + " pAllocParms@10:8 pRightsRequested@18:8 paramsSize@20:4 flags@24:4 status@28:4",
          "NV_CHANNEL_ALLOC_PARAMS 170: hObjectError@0:4 hObjectBuffer@4:4 gpFifoOffset@8:8"
              + " gpFifoEntries@10:4 flags@14:4 hContextShare@18:4 hVASpace@1c:4 hUserdMemory@20:20"
              + " userdOffset@40:40 engineType@80:4 cid@84:4 subDeviceId@88:4 hObjectEccError@8c:4"
              + " instanceMem@90:18 userdMem@a8:18 ramfcMem@c0:18 mthdbufMem@d8:18"
              + " hPhysChannelGroup@f0:4 internalFlags@f4:4 errorNotifierMem@f8:18"
              + " eccErrorNotifierMem@110:18 ProcessID@128:4 SubProcessID@12c:4 encryptIv@130:c"
              + " decryptIv@13c:c hmacNonce@148:20 tpcConfigID@168:4",
          "NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS 14: hObjectError@0:4 hObjectEccError@4:4"
              + " hVASpace@8:4 engineType@c:4 bIsCallingContextVgpuPlugin@10:1",
          "NV_CTXSHARE_ALLOCATION_PARAMETERS c: hVASpace@0:4 flags@4:4 subctxId@8:4",
          "NV_HOPPER_USERMODE_A_PARAMS 2: bBar1Mapping@0:1 bPriv@1:1",
          "NV_MEMORY_ALLOCATION_PARAMS 80: owner@0:4 type@4:4 flags@8:4 width@c:4 height@10:4"
              + " pitch@14:4 attr@18:4 attr2@1c:4 format@20:4 comprCovg@24:4 zcullCovg@28:4"
              + " rangeLo@30:8 rangeHi@38:8 size@40:8 alignment@48:8 offset@50:8 limit@58:8"
              + " address@60:8 ctagOffset@68:4 hVASpace@6c:4 internalflags@70:4 tag@74:4"
              + " numaNode@78:4",
          "NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS 18: offset@0:8 limit@8:8 hVASpace@10:4",
          "NV_VASPACE_ALLOCATION_PARAMETERS 38: index@0:4 flags@4:4 vaSize@8:8"
              + " vaStartInternal@10:8 vaLimitInternal@18:8 bigPageSize@20:4 vaBase@28:8 pasid@30:4",
          "NvNotification 10: timeStampNs@0:8 info32@8:4 info16@c:2 status@e:2",
          "nv_ioctl_alloc_os_event_t 10: hClient@0:4 hDevice@4:4 fd@8:4 Status@c:4",
          "nv_ioctl_card_info_t 48: valid@0:1 domain@4:4 bus@8:1 slot@9:1 function@a:1"
              + " vendor_id@c:2 device_id@e:2 gpu_id@10:4 interrupt_line@14:2 reg_address@18:8"
              + " reg_size@20:8 fb_address@28:8 fb_size@30:8 minor_number@38:4 dev_name@3c:a",
          "nv_ioctl_nvos02_parameters_with_fd 38: hRoot@0:4 hObjectParent@4:4 hObjectNew@8:4"
              + " hClass@c:4 flags@10:4 pMemory@18:8 limit@20:8 status@28:4 fd@30:4",
          "nv_ioctl_nvos33_parameters_with_fd 38: hClient@0:4 hDevice@4:4 hMemory@8:4"
              + " offset@10:8 length@18:8 pLinearAddress@20:8 status@28:4 flags@2c:4 fd@30:4",
          "nv_ioctl_register_fd_t 4: ctl_fd@0:4",
          "nv_ioctl_rm_api_version_t 48: cmd@0:4 reply@4:4 versionString@8:40");

  @Test
  void layouts_ofEveryStructureInThePackage_areAsTheDriverHasThem() {
    assertThat(Structs.ofPackage(RmIoctl.class).values().stream().map(Structs::describe))
        .containsExactlyElementsOf(STRUCTURES);
  }

  @Test
  void accessors_ofArrays_stayWithinTheirMember() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment channel = arena.allocate(ChannelAlloc.LAYOUT);
      ChannelAlloc.H_USERD_MEMORY.at(7).setBits(channel, -1);
      ChannelAlloc.USERD_OFFSET.at(0).set(channel, 0x200);
      ChannelAlloc.ENGINE_TYPE.setBits(channel, RmEngine.COPY0);
      assertThat(ChannelAlloc.H_USERD_MEMORY.at(7).bits(channel)).isEqualTo(-1);
      assertThat(ChannelAlloc.USERD_OFFSET.at(0).get(channel)).isEqualTo(0x200);
      assertThat(ChannelAlloc.USERD_OFFSET.at(1).get(channel)).isZero();
      assertThat(ChannelAlloc.ENGINE_TYPE.bits(channel)).isEqualTo(RmEngine.COPY0);
      assertThat(ChannelAlloc.H_VA_SPACE.bits(channel)).isZero();
    }
  }
}
