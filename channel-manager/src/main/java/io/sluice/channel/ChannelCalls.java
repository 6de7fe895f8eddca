package io.sluice.channel;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.record.ChannelRecord;
import org.jspecify.annotations.Nullable;

/** A guest's calls about channels; the contract of each stands at {@link Guest}. Under its lock. */
final class ChannelCalls {
  private final GpuInfo info;
  private final Capabilities capabilities;
  private final GuestChannels channels;

  ChannelCalls(GpuInfo info, Capabilities capabilities, GuestChannels channels) {
    this.info = info;
    this.capabilities = capabilities;
    this.channels = channels;
  }

  void start(int cid, GpuVa ringStart, int ringOrder, int slimask) {
    GuestChannel channel = channels.get(cid);
    if (ringOrder < 0 || ringOrder > Limits.MAX_RING_ORDER) {
      throw Refusal.invalid("no such ring size, order=" + Integer.toUnsignedString(ringOrder));
    }
    long start = ringStart.value();
    if (start < 0 || (start & 7) != 0 || start >= info.addressSpaceBytes()) {
      throw Refusal.invalid("no such ring address, start=" + ringStart);
    }
    channel.start(new ChannelRecord.Ring(ringStart, ringOrder, slimask));
  }

  void setupSegment(int cid, int[] words) {
    GuestChannel channel = channels.get(cid);
    if (words.length > Limits.MAX_SETUP_WORDS) {
      throw Refusal.with(Errno.E2BIG, "set-up segment too long, words=" + words.length);
    }
    channel.setupSegment(words);
  }

  void kill(int cid, int reason, int detail) {
    capabilities.require(Capability.KILL, "ending a running channel");
    channels.kill(channels.get(cid), reason, detail);
  }

  void suspend(int cid, String reason) {
    capabilities.require(Capability.SUSPEND, "suspending a channel");
    channels.get(cid).suspend(reason);
  }

  void detach(int cid, String reason) {
    capabilities.require(Capability.DETACH, "detaching a channel");
    channels.get(cid).detach(reason);
  }

  void setInterruptTarget(int cid, @Nullable Fd eventfd) {
    capabilities.require(Capability.DIRECT_INTERRUPTS, "signalling eventfds");
    channels.get(cid).backend.setInterruptTarget(eventfd);
  }
}
