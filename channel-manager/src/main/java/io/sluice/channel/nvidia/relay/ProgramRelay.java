package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.MovableMemory;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import java.util.List;

/** The relay of a guest's CUDA programs, as whoever lets them in uses it. */
public interface ProgramRelay extends MovableMemory, AutoCloseable {
  /**
   * Serves a program until it leaves or is sent away; all that it made is gone when this returns.
   * For a thread of its own, which may block, and which has no privileges afterwards.
   *
   * @param connection the program's; is closed
   * @param foreign has the custody of what the program sends
   */
  void serve(Fd connection, FdCustody foreign);

  /**
   * The same of a program in a machine.
   *
   * @param port its session; is closed
   * @param machine the process that is the machine
   */
  void serve(MachinePort port, PeerCredentials machine);

  /** The programs there are. */
  List<ProgramStatus> programs();

  /** Ends a program; false when there is none of that number. */
  boolean end(long number);

  /**
   * Takes the card from a program: what it has submitted runs to its end, what it has in video
   * memory is kept in the host's, and its channels and all else that it has on the card are given
   * back. Its process goes on, and waits for the GPU until it is {@linkplain #resume resumed}. For
   * a thread of its own, which may block, and which has no privileges afterwards.
   *
   * @param patienceNs how long its work is waited for
   * @return false when there is none of that number
   * @throws io.sluice.abi.RefusedException SLU-RLY-006 when it cannot be, or does not come to rest;
   *     it goes on then
   */
  boolean suspend(long number, long patienceNs);

  /**
   * Gives it the card again: all that it had is made anew, at the same addresses, and what it has
   * submitted meanwhile runs. For a thread of its own, too.
   *
   * @return false when there is none of that number
   * @throws io.sluice.abi.RefusedException SLU-RLY-007 when there is no room, or it is not
   *     suspended; nothing of it is lost
   */
  boolean resume(long number);

  /**
   * The same, on the card of this relay: the program goes on there, under the names of the card on
   * which it began. The other card must be of the same kind; what it was then stays what the
   * program believes of it.
   *
   * @return false when the guest has no program of that number
   * @throws io.sluice.abi.RefusedException as for {@link #resume}, or when the program does not
   *     take another doorbell: it is in a machine, say. It can go back to the card it was on
   */
  boolean resumeHere(long number);

  /**
   * Gives the guest's programs their part of the card's time, relative to other guests, together
   * with the guest's own channels. Any thread; what runs has it after the next {@link #refresh}.
   *
   * @param weight 1 to 1024
   */
  void setWeight(int weight);

  /** GPU time that programs were charged with, of those that have left as well; no waits. */
  TimeUsage timeUsage();

  /** Sets time slices anew that are worth something else by now: whoever lets programs in does. */
  void refresh();

  /** Sends all programs away and takes no more. */
  @Override
  void close();
}
