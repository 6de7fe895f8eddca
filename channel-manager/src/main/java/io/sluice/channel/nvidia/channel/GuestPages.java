package io.sluice.channel.nvidia.channel;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.rm.SharedPages;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;

/**
 * The pages of a guest's channels: control pages, which the guest maps, and error notifiers, which
 * RM writes. The index is the channel's id.
 */
public final class GuestPages implements AutoCloseable {
  private final Kernel kernel;
  private final SharedPages control;
  private final SharedPages notifiers;

  /** Control pages are another daemon's, too, and tell the guest nothing of ours. */
  private boolean shared; // guarded by the open's lock

  /** Takes both over. */
  public GuestPages(Kernel kernel, SharedPages control, SharedPages notifiers) {
    this.kernel = kernel;
    this.control = control;
    this.notifiers = notifiers;
  }

  MemorySegment control(int id) {
    return control.page(id);
  }

  MemorySegment notifier(int id) {
    return notifiers.page(id);
  }

  /** The caller closes the descriptor. */
  SharedArea share(int id) {
    return new SharedArea(
        kernel.dup(control.fd()), id * GuestLimits.PAGE_BYTES, GuestLimits.PAGE_BYTES);
  }

  /** All control pages; the descriptor stays ours. */
  public SharedArea all() {
    return new SharedArea(control.fd(), 0, control.all().byteSize());
  }

  /** The guest sees a fresh page of zeros in place of the former. */
  void replace(int id) {
    control.replace(id);
  }

  boolean areShared() {
    return shared;
  }

  public void setShared(boolean newShared) {
    shared = newShared;
  }

  @Override
  public void close() {
    notifiers.close();
    control.close();
  }
}
