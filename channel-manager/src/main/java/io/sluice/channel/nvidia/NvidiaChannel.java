package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.rm.ErrorNotifier;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmEngine;
import io.sluice.channel.Channel;
import io.sluice.channel.ChannelError;
import io.sluice.channel.ChannelState;
import io.sluice.channel.GuestGpu.SharedArea;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A channel of RM. RM wants the ring's address when a channel is made, so that this one is only a
 * number and a control page until {@link #start}. Guarded by the open's lock.
 *
 * <p>Which engine it runs on follows from the classes declared before: copy engine for a channel
 * that declared nothing but copying, otherwise graphics, which computes and copies.
 */
final class NvidiaChannel implements Channel {
  private static final VarHandle WORD = Layouts.U32.varHandle();

  /** A weight of 16 is about what RM gives a channel of which nobody has said anything. */
  private static final long MICROSECONDS_PER_WEIGHT = 64;

  private static final int MAX_WEIGHT = 1024;

  /** Rings longer than this have no use, and RM maps them whole. */
  private static final int MAX_RING_ORDER = 20;

  private final NvidiaGuestGpu gpu;
  private final NvidiaAddressSpace space;
  private final int id;
  private final MemorySegment page;
  private final MemorySegment notifier;
  private final Set<Integer> declared = new HashSet<>();
  private @Nullable ChannelGroup group;
  private int userd;
  private int errors;
  private int weight;
  private boolean suspended;
  private boolean closed;

  // Why it has ended.
  private int reason;
  private int info;

  /** RM has ended it, and {@link #takeError} was not asked since. */
  private boolean untold;

  NvidiaChannel(
      NvidiaGuestGpu gpu,
      NvidiaAddressSpace space,
      int id,
      MemorySegment page,
      MemorySegment notifier) {
    this.gpu = gpu;
    this.space = space;
    this.id = id;
    this.page = page;
    this.notifier = notifier;
  }

  NvidiaAddressSpace space() {
    return space;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public void start(GpuVa ringStart, int ringOrder, int slimask) {
    gpu.run(() -> {
      if (group != null || reason != 0 || closed) {
        throw RmRefusal.busy("the channel has a ring or has ended, cid=" + id);
      }
      if (ringOrder < 1 || ringOrder > MAX_RING_ORDER) {
        throw RmRefusal.invalid("no such ring size, order=" + ringOrder);
      }
      int gpPut = (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_PUT);
      group = create(ringStart, 1 << ringOrder);
      if (weight != 0) {
        group.setTimeslice(weight * MICROSECONDS_PER_WEIGHT);
      }
      announce(group.token(), gpPut);
    });
  }

  private ChannelGroup create(GpuVa ringStart, int ringEntries) {
    RmClient client = gpu.client();
    notifier.fill((byte) 0);
    boolean complete = false;
    try {
      userd = client.registerMemory(page);
      errors = client.registerMemory(notifier);
      ChannelGroup made =
          ChannelGroup.create(
              client,
              new ChannelGroup.Plan(
                  space.object(), engine(), ringStart, ringEntries, userd, errors, suspended));
      complete = true;
      return made;
    } finally {
      if (!complete) {
        releaseMemory();
      }
    }
  }

  private int engine() {
    boolean copiesOnly = declared.equals(Set.of(RmClass.HOPPER_DMA_COPY_A.number()));
    return copiesOnly ? gpu.copyEngines().next() : RmEngine.GRAPHICS;
  }

  /**
   * Puts back the GP_PUT that RM cleared, tells the guest its token, and rings once for what was
   * put before the guest could know it.
   */
  private void announce(int token, int gpPut) {
    boolean _ = WORD.compareAndSet(page, (long) GuestAbi.USERD_GP_PUT, 0, gpPut);
    ControlWords.doorbellToken(page, GuestAbi.CONTROL_OFFSET, token);
    VarHandle.fullFence();
    gpu.doorbellPage().ring(token);
  }

  @Override
  public SharedArea controlPage() {
    return gpu.controlPage(id);
  }

  @Override
  public int doorbellToken() {
    return gpu.ask(() -> group == null ? 0 : group.token());
  }

  @Override
  public void declareObject(int handle, int objectClass, int flags) {
    gpu.run(() -> {
      boolean copy = objectClass == RmClass.HOPPER_DMA_COPY_A.number();
      boolean compute = objectClass == RmClass.HOPPER_COMPUTE_A.number();
      if (!copy && !compute) {
        throw RmRefusal.noClass(
            "no such engine class, class=0x" + Integer.toHexString(objectClass));
      }
      if (compute && group != null && RmEngine.isCopy(group.engineType())) {
        throw RmRefusal.busy("the channel runs on a copy engine already, cid=" + id);
      }
      declared.add(objectClass);
    });
  }

  @Override
  public void suspend() {
    gpu.run(() -> {
      if (!suspended && group != null && reason == 0) {
        group.setDisabled(true);
      }
      suspended = true;
    });
  }

  @Override
  public void resume() {
    gpu.run(() -> {
      if (suspended && group != null && reason == 0) {
        group.setDisabled(false);
      }
      suspended = false;
    });
  }

  @Override
  public void detach() {
    throw RmRefusal.missing("detach");
  }

  @Override
  public void attach() {
    throw RmRefusal.missing("attach");
  }

  @Override
  public void kill(int reason, int info) {
    gpu.run(() -> {
      noteError();
      if (this.reason == 0) {
        this.reason = reason;
        this.info = info;
        destroyGroup();
      }
    });
  }

  @Override
  public void setWeight(int weight) {
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw RmRefusal.invalid("no such weight, weight=" + weight);
    }
    gpu.run(() -> {
      this.weight = weight;
      if (group != null) {
        group.setTimeslice(weight * MICROSECONDS_PER_WEIGHT);
      }
    });
  }

  /** GP_GET counts fetched entries: equal pointers mean fetched, not necessarily finished. */
  @Override
  public Status status() {
    return gpu.ask(() -> {
      noteError();
      int gpGet = (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_GET);
      int gpPut = (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_PUT);
      boolean fetched = group == null || gpGet == gpPut;
      return new Status(state(), reason, info, 0, fetched, false, gpGet, gpPut, 0, 0, 0, 0);
    });
  }

  private int state() {
    if (reason != 0) {
      return ChannelState.DEAD.code();
    }
    if (group == null) {
      return ChannelState.NEW.code();
    }
    return suspended ? ChannelState.SUSPENDED.code() : ChannelState.RUNNING.code();
  }

  /** RM writes the status last. */
  private void noteError() {
    if (reason == 0
        && group != null
        && ErrorNotifier.status(notifier) == ErrorNotifier.STATUS_ERROR) {
      VarHandle.acquireFence();
      int xid = ErrorNotifier.info32(notifier);
      untold = true;
      reason = Xid.reason(xid);
      info = Xid.info(xid, Short.toUnsignedInt(ErrorNotifier.info16(notifier)));
    }
  }

  /** Whether it runs and was ever given something. */
  boolean hasWork() {
    noteError();
    return reason == 0
        && group != null
        && ((int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_PUT)
                | (int) WORD.getAcquire(page, (long) GuestAbi.USERD_GP_GET))
            != 0;
  }

  /** The error that RM has told of it, once. */
  Optional<ChannelError> takeError(long timeNs) {
    if (!untold) {
      return Optional.empty();
    }
    untold = false;
    return Optional.of(new ChannelError(id, reason, info, 0, timeNs));
  }

  @Override
  public byte[] saveState() {
    throw RmRefusal.missing("saveState");
  }

  @Override
  public void restoreState(byte[] state) {
    throw RmRefusal.missing("restoreState");
  }

  @Override
  public void close() {
    gpu.run(() -> {
      if (!closed) {
        closed = true;
        destroyGroup();
        page.asSlice(0, GuestAbi.CONTROL_OFFSET).fill((byte) 0);
        gpu.forget(this);
        space.channelClosed();
      }
    });
  }

  /** The group goes first: a channel whose USERD is freed is lost. */
  private void destroyGroup() {
    if (group != null) {
      ChannelGroup doomed = group;
      group = null;
      doomed.destroy();
      releaseMemory();
    }
  }

  private void releaseMemory() {
    RmClient client = gpu.client();
    if (errors != 0) {
      client.free(client.device(), errors);
      errors = 0;
    }
    if (userd != 0) {
      client.free(client.device(), userd);
      userd = 0;
    }
  }
}
