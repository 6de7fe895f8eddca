package io.sluice.channel.nvidia.channel;

import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.submit.Monitor;
import java.util.List;

/**
 * The surroundings of a guest's channels.
 *
 * @param open whose they are
 * @param monitor its monitor
 * @param pages their pages
 * @param host the open as a whole
 */
public record ChannelHome(RmOpen open, Monitor monitor, GuestPages pages, ChannelOwner host) {
  /** An open and its card, as far as one of its channels is concerned with the others. */
  public interface ChannelOwner {
    /** A channel of RM came or went, or has another weight. */
    void channelsChanged();

    /** A drain begins, or is to go on in another way: {@link io.sluice.channel.Gpu#poll} is due. */
    void drains();

    /** Whether a guest other than this may have something to do. */
    boolean anotherIsActive();

    /** Whether a guest other than this has entries that the GPU has not fetched. */
    boolean anotherWaits();

    /** Stops the channels of an address space that run; the caller lets them go on. */
    List<HardwareChannel> stop(NvidiaAddressSpace space);

    /** The channel of this id is gone. */
    void closed(int id);
  }
}
