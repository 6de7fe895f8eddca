package io.sluice.vdevice;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.guest.Guest;
import io.sluice.vdevice.pci.PciConfigSpace;
import io.sluice.vdevice.pci.Registers;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.state.DeviceState;
import io.sluice.vdevice.state.PciState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client's device as something that moves: it is held still, its state is saved or becomes
 * another one, and it goes on.
 */
final class HeldDevice implements ClientMigration.MigratingDevice {
  private final String name;
  private final GuestLog log;
  private final GuestParts parts;
  private final CallExecution calls;
  private final Function function;
  private final DeviceSession session;

  /**
   * The execution of the guest's calls.
   *
   * @param area where they are written
   */
  record CallExecution(CallArea area, CallExecutor executor, CallQueue queue) {}

  /** The PCI function, as the client and messages have written it. */
  record Function(Registers registers, PciConfigSpace config) {}

  /**
   * @param session the device as a whole
   */
  HeldDevice(
      String name,
      GuestLog log,
      GuestParts parts,
      CallExecution calls,
      Function function,
      DeviceSession session) {
    this.name = name;
    this.log = log;
    this.parts = parts;
    this.calls = calls;
    this.function = function;
    this.session = session;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Guest guest() {
    return parts.guest();
  }

  @Override
  public GuestLog log() {
    return log;
  }

  /**
   * No call begins and no interrupt is delivered until {@link #release}.
   *
   * @throws RefusedException EBUSY while the guest has API sessions
   */
  @Override
  public void hold() {
    calls.executor().hold();
    try {
      requireMovable();
    } catch (RefusedException e) {
      calls.executor().release();
      throw e;
    }
    parts.vectors().hold();
  }

  /**
   * Looks whether it can move as it stands.
   *
   * @throws RefusedException EBUSY while the guest has API sessions
   */
  void requireMovable() {
    int sessions = session.apiSessions();
    if (sessions > 0) {
      throw new RefusedException(
          DeviceCode.SESSIONS_OPEN,
          Errno.EBUSY,
          "the guest has API sessions, which its device alone cannot take along, sessions="
              + sessions,
          "End the programs that use them, and try again.");
    }
  }

  /** Ends {@link #hold} where it began: every vector fires once. */
  @Override
  public void release() {
    parts.vectors().release();
    calls.executor().release();
  }

  @Override
  public DeviceState save() {
    return save(null);
  }

  /**
   * The device as it stands, while held and while the client rings nothing.
   *
   * @param msixTable as the client has it; null for the one that was written by message
   */
  DeviceState save(byte @Nullable [] msixTable) {
    byte[] area = new byte[GuestAbi.BAR1_SIZE];
    MemorySegment.copy(calls.area().segment(), ValueLayout.JAVA_BYTE, 0, area, 0, area.length);
    return new DeviceState(
        parts.events().head(),
        parts.events().lost(),
        (int) parts.vectors().pending(),
        calls.executor().executed(),
        calls.executor().waiting(),
        ByteBuffer.wrap(area),
        pci(msixTable));
  }

  /**
   * The PCI function as the client has written it.
   *
   * @param msixTable as the client has it; null for the one that was written by message
   */
  PciState pci(byte @Nullable [] msixTable) {
    return new PciState(
        function.config().bytes(),
        msixTable == null ? function.registers().msixTable() : msixTable);
  }

  @Override
  public void restore(DeviceState state) {
    restoreDevice(state);
    restoreFunction(state);
  }

  /**
   * Becomes the device that a state says, but for the PCI function, whose owner is the client.
   * While held.
   */
  void restoreDevice(DeviceState state) {
    calls
        .executor()
        .exclusively(() -> {
          MemorySegment.copy(
              MemorySegment.ofBuffer(state.callArea()),
              0,
              calls.area().segment(),
              0,
              GuestAbi.BAR1_SIZE);
          restoreCounts(state);
        });
    ringWaiting(state);
  }

  /** The same over a call area that is there as it was, with the PCI function. */
  void restoreInPlace(DeviceState state) {
    calls.executor().exclusively(() -> restoreCounts(state));
    restoreFunction(state);
    ringWaiting(state);
  }

  private void restoreCounts(DeviceState state) {
    parts.events().restore(state.eventHead(), state.eventsLost());
    calls.executor().restore(state.executed());
    parts.vectors().restorePending(state.pendingVectors());
  }

  private void restoreFunction(DeviceState state) {
    function.registers().restoreMsixTable(state.pci().msixTable());
    function.config().restore(state.pci().config());
  }

  /** Calls that the guest waits for; what was executed already is passed over. */
  private void ringWaiting(DeviceState state) {
    state.waiting().forEach(calls.queue()::ring);
  }

  /**
   * Ends {@link #hold} on a device that was restored: the guest is told of its generation, and to
   * look at every channel, because what it missed on the way is not known.
   */
  @Override
  public void releaseRestored() {
    Guest guest = parts.guest();
    parts.notifier().onGeneration(session.showGeneration(), guest.timeNs());
    guest.channels().ids().forEach(parts.notifier()::onInterrupt);
    parts.vectors().release();
    calls.executor().release();
    calls.queue().wake();
  }

  @Override
  public void empty() {
    session.empty();
  }
}
