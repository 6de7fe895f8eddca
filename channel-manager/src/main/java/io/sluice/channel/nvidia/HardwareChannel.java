package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.ErrorNotifier;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel of RM with the memory it was made over: the page whose first 512 bytes are its USERD,
 * and its error notifier. The page is pinned: it stays this channel's when the file that it came
 * from has another one in its place.
 */
final class HardwareChannel {
  private static final Logger log = LoggerFactory.getLogger(HardwareChannel.class);

  private final RmClient client;
  private final ChannelGroup group;
  private final int userd;
  private final int errors;
  private final MemorySegment notifier;
  private boolean disabled;
  private long timesliceUs;

  /**
   * What it is made over.
   *
   * @param space RM's address space
   * @param engineType {@link io.sluice.abi.rm.RmEngine}
   * @param ringStart address of the ring
   * @param ringEntries a power of two
   * @param page becomes USERD, and is cleared as far as that goes
   * @param notifier receives errors
   */
  record Plan(
      int space,
      int engineType,
      GpuVa ringStart,
      int ringEntries,
      MemorySegment page,
      MemorySegment notifier) {
    /** The same on another engine. */
    Plan on(int otherEngine) {
      return new Plan(space, otherEngine, ringStart, ringEntries, page, notifier);
    }
  }

  private HardwareChannel(
      RmClient client,
      ChannelGroup group,
      int userd,
      int errors,
      MemorySegment notifier,
      boolean disabled) {
    this.client = client;
    this.group = group;
    this.userd = userd;
    this.errors = errors;
    this.notifier = notifier;
    this.disabled = disabled;
  }

  static HardwareChannel create(RmClient client, Plan plan, boolean disabled) {
    plan.notifier().fill((byte) 0);
    int userd = client.registerMemory(plan.page());
    int errors = 0;
    boolean complete = false;
    try {
      errors = client.registerMemory(plan.notifier());
      ChannelGroup group =
          ChannelGroup.create(
              client,
              new ChannelGroup.Plan(
                  plan.space(),
                  plan.engineType(),
                  plan.ringStart(),
                  plan.ringEntries(),
                  userd,
                  errors,
                  disabled));
      complete = true;
      return new HardwareChannel(client, group, userd, errors, plan.notifier(), disabled);
    } finally {
      if (!complete) {
        if (errors != 0) {
          client.free(client.device(), errors);
        }
        client.free(client.device(), userd);
      }
    }
  }

  int token() {
    return group.token();
  }

  int engineType() {
    return group.engineType();
  }

  /** RM's object of the USERD page. */
  int userd() {
    return userd;
  }

  /** How long it runs before another one does, that wants to. */
  void setTimeslice(long microseconds) {
    if (timesliceUs != microseconds) {
      group.setTimeslice(microseconds);
      timesliceUs = microseconds;
    }
  }

  boolean isDisabled() {
    return disabled;
  }

  /** Stops taking entries, or takes them again. */
  void setDisabled(boolean disabled) {
    if (this.disabled != disabled) {
      group.setDisabled(disabled);
      this.disabled = disabled;
    }
  }

  /** Takes entries again; one for which RM refuses that has ended, or is as good as that. */
  void enableIfPossible() {
    try {
      setDisabled(false);
    } catch (RefusedException e) {
      log.atWarn().addKeyValue("token", token()).setCause(e).log("a channel stays stopped");
    }
  }

  /** Stops it for good; one that has ended with an error may refuse that, and needs it not. */
  void disableToEnd() {
    if (!disabled) {
      group.disableToEnd();
      disabled = true;
    }
  }

  /** Whether a stop at the next boundary happens in time. */
  boolean stopsWithin(int microseconds) {
    return group.preempt(microseconds);
  }

  /** Whether all that was put has finished. */
  boolean isIdle(int timeoutUs) {
    return group.isIdle(timeoutUs);
  }

  /** What RM wrote when it ended the channel; null while it lives. */
  @Nullable Death death() {
    if (ErrorNotifier.STATUS.get(notifier) != ErrorNotifier.STATUS_ERROR) {
      return null;
    }
    VarHandle.acquireFence();
    int xid = ErrorNotifier.INFO32.bits(notifier);
    return new Death(
        xid, ErrorNotifier.INFO16.get(notifier), Xid.isPageFault(xid) ? group.faultAddress() : 0);
  }

  /**
   * @param xid the driver's number
   * @param engineType where
   * @param address page of the address of a page fault, where the driver tells it; otherwise 0
   */
  record Death(int xid, int engineType, long address) {}

  /** The group goes first: a channel whose USERD is freed is lost. */
  void destroy() {
    disableToEnd();
    group.free();
    client.free(client.device(), errors);
    client.free(client.device(), userd);
  }
}
