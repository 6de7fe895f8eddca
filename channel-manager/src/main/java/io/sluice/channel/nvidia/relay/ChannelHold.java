package io.sluice.channel.nvidia.relay;

import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.control.DisableChannels;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.channel.nvidia.relay.link.Denial;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The standstill of all channels of a program: nothing of it runs on the GPU until this is closed,
 * and what ran goes on then. The turn of the program is held all the while.
 */
final class ChannelHold implements AutoCloseable {
  private final ProgramDriver driver;
  private final List<List<RmObject.Name>> held = new ArrayList<>();

  private ChannelHold(ProgramDriver driver) {
    this.driver = driver;
  }

  /**
   * Stops them.
   *
   * @throws Denial when RM does not stop one; all run then
   */
  static ChannelHold of(ProgramDriver driver) throws Denial {
    ChannelHold hold = new ChannelHold(driver);
    boolean complete = false;
    try {
      for (int client : driver.objects().clients()) {
        hold.stop(
            driver
                .objects()
                .all(ProgramClass.HOPPER_CHANNEL_GPFIFO_A)
                .map(RmObject::name)
                .filter(name -> name.client() == client)
                .toList());
      }
      complete = true;
      return hold;
    } finally {
      if (!complete) {
        hold.close();
      }
    }
  }

  /** As many at a time as the command takes. */
  private void stop(List<RmObject.Name> channels) throws Denial {
    int most = DisableChannels.H_CHANNEL.count();
    for (int at = 0; at < channels.size(); at += most) {
      List<RmObject.Name> some = channels.subList(at, Math.min(at + most, channels.size()));
      int status = send(driver, some, true);
      if (status != RmStatus.OK.code()) {
        throw new Denial(
            RmStatus.INVALID_STATE, "channels that do not stop, " + RmStatus.nameOf(status));
      }
      held.add(some);
    }
  }

  /**
   * Stops channels of one client, or has them go on: RM's status. RM counts.
   *
   * @param channels no more than the command takes
   */
  static int send(ProgramDriver driver, List<RmObject.Name> channels, boolean stop) throws Denial {
    int client = channels.getFirst().client();
    ProgramFile control =
        driver
            .objects()
            .controlOf(client)
            .orElseThrow(() -> new Denial(RmStatus.INVALID_CLIENT, "a client without its file"));
    RmObject subdevice =
        driver
            .objects()
            .first(client, ProgramClass.NV20_SUBDEVICE_0)
            .orElseThrow(
                () -> new Denial(RmStatus.INVALID_STATE, "channels of a client without subdevice"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(DisableChannels.LAYOUT);
      DisableChannels.DISABLE.set(block, stop ? 1 : 0);
      DisableChannels.COUNT.set(block, channels.size());
      for (int i = 0; i < channels.size(); i++) {
        DisableChannels.H_CLIENT.at(i).setBits(block, driver.port().real(client));
        DisableChannels.H_CHANNEL.at(i).setBits(block, channels.get(i).handle());
      }
      return driver.control(
          control, subdevice.name(), RmControl.FIFO_DISABLE_CHANNELS.command(), block);
    }
  }

  /**
   * Has them go on.
   *
   * @throws IllegalStateException when RM does not let them: the program must end
   */
  @Override
  public void close() {
    boolean all = true;
    for (List<RmObject.Name> some : held) {
      try {
        all &= send(driver, some, false) == RmStatus.OK.code();
      } catch (Denial | SyscallException e) {
        all = false;
      }
    }
    held.clear();
    if (!all) {
      throw new IllegalStateException("channels that were stopped do not go on");
    }
  }
}
