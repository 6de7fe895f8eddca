package io.sluice.daemon.migration;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of guests that come from and go to other daemons. */
enum ArrivalCode implements ErrorEntry {
  // spotless:off
  NOT_NOTED_COME("SLU-MIG-058", "The daemon cannot write down that the guest has come.", "The disk of its state directory is full or failed.", "See to the disk of daemon.state-dir at the destination."),
  NO_GUEST("SLU-MIG-059", "The destination has no guest of that name.", "It was not created there.", "Create it there: sluicectl guest create."),
  OCCUPIED("SLU-MIG-060", "Somebody is attached at the destination.", "The guest of that name is in use there.", "Choose another destination, or detach it."),
  NO_MACHINE("SLU-MIG-061", "No machine waits at the destination.", "QEMU was not started there.", "Start it there with -S -incoming defer, and as the source is but for its sockets."),
  LESSER_GPU("SLU-MIG-063", "The destination's GPU cannot do what the guest's can.", "It lacks a capability, which the message names.", "Choose a destination with a GPU of the same kind and a driver as new."),
  OTHER_SIZE("SLU-MIG-064", "The destination's GPU has another size.", "A process keeps the file that is its video memory.", "Choose a destination whose GPU has as much video memory."),
  NO_ROOM("SLU-MIG-065", "The destination has no room now.", "Other guests of its GPU hold or keep too much.", "Choose another destination, or have less held there: sluicectl quota show."),
  NOT_NOTED_GONE("SLU-MIG-067", "The daemon cannot write down where the guest goes.", "The disk of its state directory is full or failed.", "See to the disk of daemon.state-dir."),
  NO_NOTE("SLU-MIG-068", "It is not noted where a machine was going.", "The daemon's state directory was emptied.", "Decide with sluicectl migration resolve."),
  NOTE_UNREADABLE("SLU-MIG-069", "The daemon cannot tell whether a guest has come.", "The disk of its state directory failed.", "See to the disk of daemon.state-dir at the destination.");
  // spotless:on

  private final ErrorText text;

  ArrivalCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
