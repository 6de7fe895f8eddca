package io.sluice.abi.rm;

import io.sluice.abi.rm.control.CeCaps;
import io.sluice.abi.rm.control.ClassList;
import io.sluice.abi.rm.control.CtxswPreemption;
import io.sluice.abi.rm.control.DisableChannels;
import io.sluice.abi.rm.control.EngineList;
import io.sluice.abi.rm.control.EventSetNotification;
import io.sluice.abi.rm.control.FbInfo;
import io.sluice.abi.rm.control.GpfifoSchedule;
import io.sluice.abi.rm.control.GpuGid;
import io.sluice.abi.rm.control.GpuIdInfo;
import io.sluice.abi.rm.control.GpuName;
import io.sluice.abi.rm.control.MmuFaultInfo;
import io.sluice.abi.rm.control.Preempt;
import io.sluice.abi.rm.control.ResidentChannel;
import io.sluice.abi.rm.control.StopChannel;
import io.sluice.abi.rm.control.Timeslice;
import io.sluice.abi.rm.control.UtilSamples;
import io.sluice.abi.rm.control.WorkSubmitToken;
import java.lang.foreign.StructLayout;

/** The commands that Sluice sends to RM's objects. Source: NVIDIA's ctrl*.h. */
public enum RmControl {
  /** Which device and subdevice a card is; on the client. */
  GPU_GET_ID_INFO_V2(0x0000_0205, GpuIdInfo.LAYOUT),

  /** Which classes a GPU has; on the device. */
  GPU_GET_CLASSLIST_V2(0x0080_0292, ClassList.LAYOUT),

  /** The product's name; on the subdevice, as all up to CE_GET_CAPS_V2. */
  GPU_GET_NAME_STRING(0x2080_0110, GpuName.LAYOUT),

  /** The card's UUID. */
  GPU_GET_GID_INFO(0x2080_014a, GpuGid.LAYOUT),

  /** Which engines there are. */
  GPU_GET_ENGINES_V2(0x2080_0170, EngineList.LAYOUT),

  /** Arms an event. */
  EVENT_SET_NOTIFICATION(0x2080_0301, EventSetNotification.LAYOUT),

  /** Sizes of video memory. */
  FB_GET_INFO_V2(0x2080_1303, FbInfo.LAYOUT),

  /** Stops channels and lets them run; counted. */
  FIFO_DISABLE_CHANNELS(0x2080_110b, DisableChannels.LAYOUT),

  /** Where running work may be interrupted; before the compute object is made. */
  GR_SET_CTXSW_PREEMPTION_MODE(0x2080_1210, CtxswPreemption.LAYOUT),

  /** Which channel the graphics engine holds; once there is one. */
  GR_GET_CURRENT_RESIDENT_CHANNEL(0x2080_121c, ResidentChannel.LAYOUT),

  /** How busy the GPU was lately. */
  PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2(0x2080_2096, UtilSamples.LAYOUT),

  /** What a copy engine can do. */
  CE_GET_CAPS_V2(0x2080_2a03, CeCaps.LAYOUT),

  /** Where a channel that has ended by a page fault had it; on the channel. */
  GET_MMU_FAULT_INFO(0x906f_0106, MmuFaultInfo.LAYOUT),

  /** Lets a group run; on the group, as all up to PREEMPT. */
  GPFIFO_SCHEDULE(0xa06c_0101, GpfifoSchedule.LAYOUT),

  /** Lets a channel run that has come to a group that runs; on the channel. */
  CHANNEL_GPFIFO_SCHEDULE(0xa06f_0103, GpfifoSchedule.LAYOUT),

  /** Sets the time slice. */
  SET_TIMESLICE(0xa06c_0103, Timeslice.LAYOUT),

  /** Tells the time slice. */
  GET_TIMESLICE(0xa06c_0104, Timeslice.LAYOUT),

  /** Takes the engine away for a moment. */
  PREEMPT(0xa06c_0105, Preempt.LAYOUT),

  /** Ends a channel that waits; on the channel, as the next. */
  STOP_CHANNEL(0xa06f_0112, StopChannel.LAYOUT),

  /** Tells the doorbell's token. */
  GPFIFO_GET_WORK_SUBMIT_TOKEN(0xc36f_0108, WorkSubmitToken.LAYOUT);

  private final int command;
  private final StructLayout layout;

  RmControl(int command, StructLayout layout) {
    this.command = command;
    this.layout = layout;
  }

  /** The command number. */
  public int command() {
    return command;
  }

  /** The block in the oldest version that {@link RmAbi} knows. */
  StructLayout oldest() {
    return layout;
  }
}
