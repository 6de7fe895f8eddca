package io.sluice.gpu;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.gpu.fifo.EndReason;
import io.sluice.gpu.fifo.GpuChannel;
import java.lang.foreign.MemorySegment;

/**
 * A channel of one open.
 *
 * @param channel the channel
 * @param page index of its control page
 * @param vspace the address space it holds
 * @param interrupts the short way of its interrupts
 * @param lastQuery what a query was answered last while the engine was outside
 */
record ChannelEntry(
    GpuChannel channel,
    int page,
    Vspace vspace,
    DirectInterrupt interrupts,
    MemorySegment lastQuery) {
  static ChannelEntry of(GpuChannel channel, int page, Vspace vspace, DirectInterrupt interrupts) {
    MemorySegment none =
        MemorySegment.ofArray(new long[(int) (PscnvIoctl.CHAN_QUERY.sizeBytes() + 7 >>> 3)]);
    ExtChanQuery.CID.setBits(none, channel.cid());
    ExtChanQuery.STATE.setBits(none, channel.state());
    return new ChannelEntry(channel, page, vspace, interrupts, none);
  }

  /**
   * It is to end when the engine comes out: queries say so from here on.
   *
   * @return false when they do already
   */
  boolean noteEnd(int reason, int info) {
    if (ExtChanQuery.STATE.bits(lastQuery) == GuestAbi.CHANNEL_DEAD) {
      return false;
    }
    ExtChanQuery.STATE.setBits(lastQuery, GuestAbi.CHANNEL_DEAD);
    ExtChanQuery.REASON.setBits(lastQuery, reason == 0 ? EndReason.OPERATOR.code() : reason);
    ExtChanQuery.INFO.setBits(lastQuery, info);
    return true;
  }
}
