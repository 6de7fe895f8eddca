package io.sluice.channel.nvidia.rm;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.ErrorNotifier;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.abi.rm.alloc.ChannelGroupAlloc;
import io.sluice.abi.rm.alloc.ContextShareAlloc;
import io.sluice.abi.rm.alloc.CopyAlloc;
import io.sluice.abi.rm.control.CtxswPreemption;
import io.sluice.abi.rm.control.DisableChannels;
import io.sluice.abi.rm.control.GpfifoSchedule;
import io.sluice.abi.rm.control.MmuFaultInfo;
import io.sluice.abi.rm.control.Preempt;
import io.sluice.abi.rm.control.Timeslice;
import io.sluice.abi.rm.control.WorkSubmitToken;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel as RM has it: a group of one, its subcontext, the channel and the engine objects, over
 * the page whose first 512 bytes are its USERD, and its error notifier. The page is pinned: it
 * stays this channel's when the file that it came from has another one in its place.
 */
public final class HardwareChannel {
  private static final Logger log = LoggerFactory.getLogger(HardwareChannel.class);

  private final RmClient client;
  private final ChannelPlan plan;
  private final int userd;
  private final int errors;
  private int group;
  private int channel;
  private int token;
  private boolean disabled;
  private long timesliceUs;

  /**
   * The parts that a channel is made over.
   *
   * @param space RM's address space
   * @param engineType {@link io.sluice.abi.rm.RmEngine}
   * @param ringStart address of the ring
   * @param ringEntries a power of two
   * @param page becomes USERD, and is cleared as far as that goes
   * @param notifier receives errors
   */
  public record ChannelPlan(
      int space,
      int engineType,
      GpuVa ringStart,
      int ringEntries,
      MemorySegment page,
      MemorySegment notifier) {
    /** The same on another engine. */
    public ChannelPlan on(int otherEngine) {
      return new ChannelPlan(space, otherEngine, ringStart, ringEntries, page, notifier);
    }
  }

  private HardwareChannel(RmClient client, ChannelPlan plan, int userd, int errors) {
    this.client = client;
    this.plan = plan;
    this.userd = userd;
    this.errors = errors;
  }

  /** Makes and schedules a channel. RM clears USERD on the way. */
  public static HardwareChannel create(RmClient client, ChannelPlan plan, boolean disabled) {
    plan.notifier().fill((byte) 0);
    List<Integer> made = new ArrayList<>();
    boolean complete = false;
    try {
      int userd = client.registerMemory(plan.page());
      made.add(userd);
      int errors = client.registerMemory(plan.notifier());
      made.add(errors);
      HardwareChannel channel = new HardwareChannel(client, plan, userd, errors);
      channel.group = allocateGroup(client, plan);
      made.add(channel.group);
      channel.fill(disabled);
      complete = true;
      return channel;
    } finally {
      if (!complete) {
        // The group goes first: a channel whose USERD is freed is lost.
        made.reversed().forEach(object -> client.free(client.device(), object));
      }
    }
  }

  private static int allocateGroup(RmClient client, ChannelPlan plan) {
    return client.alloc(
        client.device(),
        RmClass.KEPLER_CHANNEL_GROUP_A,
        block -> {
          ChannelGroupAlloc.H_VA_SPACE.setBits(block, plan.space());
          ChannelGroupAlloc.ENGINE_TYPE.setBits(block, plan.engineType());
        });
  }

  private void fill(boolean disable) {
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
    channel =
        client.alloc(
            group,
            RmClass.HOPPER_CHANNEL_GPFIFO_A,
            block -> {
              ChannelAlloc.H_OBJECT_ERROR.setBits(block, errors);
              ChannelAlloc.GP_FIFO_OFFSET.set(block, plan.ringStart().value());
              ChannelAlloc.GP_FIFO_ENTRIES.setBits(block, plan.ringEntries());
              ChannelAlloc.H_CONTEXT_SHARE.setBits(block, subcontext);
              ChannelAlloc.H_USERD_MEMORY.at(0).setBits(block, userd);
              ChannelAlloc.ENGINE_TYPE.setBits(block, plan.engineType());
            });
    if (graphics) {
      preemptBetweenBlocks();
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
    if (disable) {
      setDisabled(true);
    }
    client.control(group, RmControl.GPFIFO_SCHEDULE, block -> GpfifoSchedule.ENABLE.set(block, 1));
    token =
        (int)
            client.control(
                channel,
                RmControl.GPFIFO_GET_WORK_SUBMIT_TOKEN,
                _ -> {},
                WorkSubmitToken.TOKEN::get);
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

  /** What to store in the doorbell. */
  public int token() {
    return token;
  }

  /** {@link RmEngine}. */
  public int engineType() {
    return plan.engineType();
  }

  /** RM's object of the USERD page. */
  public int userd() {
    return userd;
  }

  /** How long it runs before another one does, that wants to. */
  public void setTimeslice(long microseconds) {
    if (timesliceUs != microseconds) {
      client.control(
          group, RmControl.SET_TIMESLICE, block -> Timeslice.MICROSECONDS.set(block, microseconds));
      timesliceUs = microseconds;
    }
  }

  public boolean isDisabled() {
    return disabled;
  }

  /** Stops taking entries, or takes them again. RM counts; so every true wants its false. */
  public void setDisabled(boolean wanted) {
    if (disabled == wanted) {
      return;
    }
    client.control(
        client.subdevice(),
        RmControl.FIFO_DISABLE_CHANNELS,
        block -> {
          DisableChannels.DISABLE.set(block, wanted ? 1 : 0);
          DisableChannels.COUNT.set(block, 1);
          DisableChannels.H_CLIENT.at(0).setBits(block, client.root());
          DisableChannels.H_CHANNEL.at(0).setBits(block, channel);
        });
    disabled = wanted;
  }

  /** Takes entries again; one for which RM refuses that has ended, or is as good as that. */
  public void enableIfPossible() {
    try {
      setDisabled(false);
    } catch (RefusedException e) {
      log.atWarn().addKeyValue("token", token()).setCause(e).log("a channel stays stopped");
    }
  }

  /**
   * Stops it for good, before it is freed: one that waits on a semaphore takes a second to free
   * otherwise, and one that computes stops between thread blocks. One that has ended with an error
   * may refuse that, and needs it not.
   */
  public void disableToEnd() {
    try {
      setDisabled(true);
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not disabled before freeing");
      disabled = true;
    }
  }

  /**
   * Has it leave the engine at the next boundary.
   *
   * @return whether it did in time
   */
  public boolean stopsWithin(int timeoutUs) {
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
  public boolean isIdle(int timeoutUs) {
    try {
      return client.isIdle(channel, timeoutUs);
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not known whether it is idle");
      return true;
    }
  }

  /** Page of the address at which it faulted; 0 where the driver does not tell. */
  private long faultAddress() {
    try {
      return client.control(channel, RmControl.GET_MMU_FAULT_INFO, _ -> {}, MmuFaultInfo::address);
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("channel", channel).setCause(e).log("not known where it faulted");
      return 0;
    }
  }

  /** What RM wrote when it ended the channel; null while it lives. */
  public @Nullable Death death() {
    if (ErrorNotifier.STATUS.get(plan.notifier()) != ErrorNotifier.STATUS_ERROR) {
      return null;
    }
    VarHandle.acquireFence();
    int xid = ErrorNotifier.INFO32.bits(plan.notifier());
    return new Death(
        xid, ErrorNotifier.INFO16.get(plan.notifier()), Xid.isPageFault(xid) ? faultAddress() : 0);
  }

  /**
   * @param xid the driver's number
   * @param engineType where
   * @param address page of the address of a page fault, where the driver tells it; otherwise 0
   */
  public record Death(int xid, int engineType, long address) {}

  /** The group goes first: a channel whose USERD is freed is lost. */
  public void destroy() {
    disableToEnd();
    client.free(client.device(), group);
    client.free(client.device(), errors);
    client.free(client.device(), userd);
  }
}
