package io.sluice.channel.pscnv;

import io.sluice.abi.GpuVa;
import io.sluice.abi.drm.DrmDevice.DrmMapping;
import io.sluice.abi.pscnv.PscnvChanFree;
import io.sluice.abi.pscnv.PscnvFifoInitIb;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.pscnv.PscnvObjEngNew;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu.SharedArea;

/** A channel with the abilities that every pscnv has. */
abstract sealed class PscnvChannel implements Channel permits PlainChannel, ExtendedChannel {
  private final PscnvOpen open;
  private final int cid;
  private final int guestId;

  PscnvChannel(PscnvOpen open, int cid, int guestId) {
    this.open = open;
    this.cid = cid;
    this.guestId = guestId;
  }

  final PscnvOpen open() {
    return open;
  }

  /** The card's number of the channel. */
  final int cid() {
    return cid;
  }

  @Override
  public final int id() {
    return guestId;
  }

  @Override
  public final SharedArea controlPage() {
    DrmMapping mapping =
        open.calls().map(PscnvMapHandle.ofChannel(cid), PscnvLimits.CONTROL_PAGE_BYTES);
    return new SharedArea(mapping.fd(), mapping.offset(), PscnvLimits.CONTROL_PAGE_BYTES);
  }

  /** A Fermi GPU has no doorbell. */
  @Override
  public final int doorbellToken() {
    return 0;
  }

  @Override
  public final void declareObject(int handle, int objectClass, int flags) {
    open.calls()
        .call(
            PscnvIoctl.OBJ_ENG_NEW,
            argument -> {
              PscnvObjEngNew.CID.setBits(argument, cid);
              PscnvObjEngNew.HANDLE.setBits(argument, handle);
              PscnvObjEngNew.OCLASS.setBits(argument, objectClass);
              PscnvObjEngNew.FLAGS.setBits(argument, flags);
            });
  }

  @Override
  public final void start(GpuVa ringStart, int ringOrder, int slimask) {
    open.calls()
        .call(
            PscnvIoctl.FIFO_INIT_IB,
            argument -> {
              PscnvFifoInitIb.CID.setBits(argument, cid);
              PscnvFifoInitIb.SLIMASK.setBits(argument, slimask);
              PscnvFifoInitIb.IB_START.set(argument, ringStart.value());
              PscnvFifoInitIb.IB_ORDER.setBits(argument, ringOrder);
            });
    started();
  }

  /** The channel has its ring now. */
  void started() {}

  @Override
  public void close() {
    open.channelIds().release(cid);
    open.calls().call(PscnvIoctl.CHAN_FREE, argument -> PscnvChanFree.CID.setBits(argument, cid));
  }
}
