package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.ChannelAlloc;
import io.sluice.abi.rm.ChannelGroupAlloc;
import io.sluice.abi.rm.ContextShareAlloc;
import io.sluice.abi.rm.CopyAlloc;
import io.sluice.abi.rm.CtxswPreemption;
import io.sluice.abi.rm.DisableChannels;
import io.sluice.abi.rm.GpfifoSchedule;
import io.sluice.abi.rm.MmuFaultInfo;
import io.sluice.abi.rm.Preempt;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.Timeslice;
import io.sluice.abi.rm.WorkSubmitToken;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel as RM has it: a group of one, its subcontext, the channel and the engine objects.
 *
 * @param client whose it is
 * @param group the group, which frees all of it
 * @param channel the channel
 * @param engineType {@link RmEngine}
 * @param token what to store in the doorbell
 */
record ChannelGroup(RmClient client, int group, int channel, int engineType, int token) {
  private static final Logger log = LoggerFactory.getLogger(ChannelGroup.class);

  /**
   * What a channel is made of.
   *
   * @param space address space
   * @param engineType {@link RmEngine}
   * @param ringStart address of the ring
   * @param ringEntries a power of two
   * @param userd memory whose first 512 bytes become USERD
   * @param errors memory of the error notifier
   * @param suspended it is not to run yet
   */
  record Plan(
      int space,
      int engineType,
      GpuVa ringStart,
      int ringEntries,
      int userd,
      int errors,
      boolean suspended) {}

  /** Makes and schedules a channel. RM clears USERD on the way. */
  static ChannelGroup create(RmClient client, Plan plan) {
    int group =
        client.alloc(
            client.device(),
            RmClass.KEPLER_CHANNEL_GROUP_A,
            block -> {
              ChannelGroupAlloc.H_VA_SPACE.setBits(block, plan.space());
              ChannelGroupAlloc.ENGINE_TYPE.setBits(block, plan.engineType());
            });
    boolean complete = false;
    try {
      ChannelGroup made = fill(client, group, plan);
      complete = true;
      return made;
    } finally {
      if (!complete) {
        client.free(client.device(), group);
      }
    }
  }

  private static ChannelGroup fill(RmClient client, int group, Plan plan) {
    boolean graphics = plan.engineType() == RmEngine.GRAPHICS;
    int subcontext =
        client.alloc(
            group,
            RmClass.FERMI_CONTEXT_SHARE_A,
            block -> {
              ContextShareAlloc.H_VA_SPACE.setBits(block, plan.space());
              ContextShareAlloc.FLAGS.setBits(
                  block, graphics ? ContextShareAlloc.FLAGS_ASYNC : ContextShareAlloc.FLAGS_SYNC);
            });
    int channel =
        client.alloc(
            group,
            RmClass.HOPPER_CHANNEL_GPFIFO_A,
            block -> {
              ChannelAlloc.H_OBJECT_ERROR.setBits(block, plan.errors());
              ChannelAlloc.GP_FIFO_OFFSET.set(block, plan.ringStart().value());
              ChannelAlloc.GP_FIFO_ENTRIES.setBits(block, plan.ringEntries());
              ChannelAlloc.H_CONTEXT_SHARE.setBits(block, subcontext);
              ChannelAlloc.H_USERD_MEMORY.at(0).setBits(block, plan.userd());
              ChannelAlloc.ENGINE_TYPE.setBits(block, plan.engineType());
            });
    ChannelGroup made = new ChannelGroup(client, group, channel, plan.engineType(), 0);
    if (graphics) {
      made.preemptBetweenBlocks();
      int _ = client.alloc(channel, RmClass.HOPPER_COMPUTE_A);
      int _ = client.alloc(channel, RmClass.HOPPER_DMA_COPY_A);
    } else {
      int _ =
          client.alloc(
              channel,
              RmClass.HOPPER_DMA_COPY_A,
              block -> {
                CopyAlloc.VERSION.setBits(block, CopyAlloc.VERSION_ENGINE_TYPE);
                CopyAlloc.ENGINE_TYPE.setBits(block, plan.engineType());
              });
    }
    if (plan.suspended()) {
      made.setDisabled(true);
    }
    client.control(group, RmControl.GPFIFO_SCHEDULE, block -> GpfifoSchedule.ENABLE.set(block, 1));
    long token =
        client.control(
            channel, RmControl.GPFIFO_GET_WORK_SUBMIT_TOKEN, _ -> {}, WorkSubmitToken.TOKEN::get);
    return new ChannelGroup(client, group, channel, plan.engineType(), (int) token);
  }

  /** Otherwise a grid runs to its end before anybody else does; works before compute is there. */
  private void preemptBetweenBlocks() {
    client.control(
        client.subdevice(),
        RmControl.GR_SET_CTXSW_PREEMPTION_MODE,
        block -> {
          CtxswPreemption.FLAGS.setBits(block, CtxswPreemption.FLAGS_CILP_SET);
          CtxswPreemption.H_CHANNEL.setBits(block, channel);
          CtxswPreemption.COMPUTE_MODE.setBits(block, CtxswPreemption.COMPUTE_CTA);
        });
  }

  /** Stops taking entries, or takes them again. RM counts; so every true wants its false. */
  void setDisabled(boolean disabled) {
    client.control(
        client.subdevice(),
        RmControl.FIFO_DISABLE_CHANNELS,
        block -> {
          DisableChannels.DISABLE.set(block, disabled ? 1 : 0);
          DisableChannels.COUNT.set(block, 1);
          DisableChannels.H_CLIENT.at(0).setBits(block, client.root());
          DisableChannels.H_CHANNEL.at(0).setBits(block, channel);
        });
  }

  void setTimeslice(long microseconds) {
    client.control(
        group, RmControl.SET_TIMESLICE, block -> Timeslice.MICROSECONDS.set(block, microseconds));
  }

  /**
   * Has it leave the engine at the next boundary.
   *
   * @return whether it did in time
   */
  boolean preempt(int timeoutUs) {
    try {
      client.control(
          group,
          RmControl.PREEMPT,
          block -> {
            Preempt.WAIT.set(block, 1);
            Preempt.MANUAL_TIMEOUT.set(block, 1);
            Preempt.TIMEOUT_US.setBits(block, timeoutUs);
          });
      return true;
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not preempted in time");
      return false;
    }
  }

  /**
   * Whether all that was put has finished; of a channel that has ended nothing is left.
   *
   * @param timeoutUs how long it is looked at
   */
  boolean isIdle(int timeoutUs) {
    try {
      return client.isIdle(channel, timeoutUs);
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not known whether it is idle");
      return true;
    }
  }

  /** Page of the address at which it faulted; 0 where the driver does not tell. */
  long faultAddress() {
    try {
      return client.control(channel, RmControl.GET_MMU_FAULT_INFO, _ -> {}, MmuFaultInfo::address);
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not known where it faulted");
      return 0;
    }
  }

  /**
   * Stops it before it is freed: one that waits on a semaphore takes a second to free otherwise,
   * and one that computes stops between thread blocks. One that has ended may refuse.
   */
  void disableToEnd() {
    try {
      setDisabled(true);
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not disabled before freeing");
    }
  }

  /** Frees all of it. */
  void free() {
    client.free(client.device(), group);
  }
}
