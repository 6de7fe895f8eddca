package io.sluice.migrate.link;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of migrations. */
public enum MigrationCode implements ErrorEntry {
  // spotless:off
  LINK_ENDED("SLU-MIG-001", "The link between two daemons of one host ended.", "One of them stopped, or gave the migration up.", "See the other daemon's log."),
  FRAME("SLU-MIG-010", "A frame of pages is damaged.", "The daemons' versions are too far apart, or the peer is faulty.", "Bring both daemons to the same version, or neighbouring ones."),
  PAGE_OUTSIDE("SLU-MIG-011", "A page comes for an address outside video memory.", "The peer is faulty or hostile, or its GPU larger.", "Choose a destination with as much video memory."),
  PAYLOAD("SLU-MIG-012", "A frame is damaged.", "The daemons' versions are too far apart, or the peer is faulty.", "Bring both daemons to the same version, or neighbouring ones."),
  CANCELLED("SLU-MIG-020", "The migration was cancelled.", "The operator, or the program that drives it, gave it up.", "Nothing: the guest goes on at the source."),
  NO_STATE("SLU-MIG-021", "The GPU cannot give a channel's state away.", "It lacks a capability, which the message names.", "Move the guest while it does not use its GPU."),
  DRAIN("SLU-MIG-022", "A channel's work does not end in time.", "A kernel runs for longer than --drain-timeout.", "Try again with a longer --drain-timeout, end what runs, or use --on-timeout force."),
  MACHINE_FAILED("SLU-MIG-023", "The machine cannot be moved any further.", "QEMU failed; the message has its reason.", "See QEMU's log; the guest goes on at the source."),
  TARGET_LOST("SLU-MIG-024", "The destination lost the guest before it ran there.", "Its daemon was restarted, or its machine ended.", "Try again."),
  TARGET_SILENT("SLU-MIG-025", "The destination does not answer, or gets no further.", "Its daemon hangs or its host is overloaded or cut off.", "See whether its daemon runs and can be reached, and how loaded its host is."),
  TIMEOUT("SLU-MIG-026", "The migration takes too long.", "The guest writes faster than the link carries, or --timeout is short.", "Try again with a longer --timeout, a faster link, or --on-timeout force."),
  UNREADABLE("SLU-MIG-027", "Nothing can read the video memory that the guest holds.", "Its GPU offers no way to copy it.", "Free it, and try again."),
  LAST_PASS("SLU-MIG-028", "The machine's last pass does not end.", "The destination's machine takes nothing.", "See whether the destination's machine is frozen."),
  UNFORESEEN("SLU-MIG-029", "Something failed that nobody foresaw.", "A host has no memory or threads left, or a daemon is faulty; the message has what it met.", "See the daemon's log; the guest goes on at the source."),
  SOURCE_SILENT("SLU-MIG-030", "The source is silent.", "Its daemon hangs, or its host is overloaded or cut off.", "See the source's daemon; the guest goes on there."),
  PROTOCOL("SLU-MIG-031", "The two daemons have no version of the protocol in common.", "Their versions are too far apart.", "Bring the older side to the version before the newer one's, at least."),
  TARGET_MACHINE("SLU-MIG-032", "The destination's machine failed.", "QEMU failed there; the message has its reason.", "See that QEMU's log, start it anew, and try again."),
  OTHER_GPU("SLU-MIG-033", "The destination's GPU is of another kind.", "Channels' state fits one kind of GPU.", "Choose a destination with a GPU of the same kind."),
  OVER_LIMIT("SLU-MIG-034", "The guest holds more video memory than it may have at the destination.", "Its limit there is lower.", "Raise the guest's limit at the destination, or choose another."),
  MACHINE_LEFT("SLU-MIG-035", "The destination's machine has left its device.", "It ended, or was reset, while the guest came.", "Start it anew, and try again."),
  STRAY_PAGE("SLU-MIG-036", "A control page comes for a channel that the guest does not have.", "The peer is faulty or hostile.", "Bring both daemons to the same version."),
  STANDS("SLU-MIG-037", "A guest that has come does not go on.", "Its GPU, or the daemon's host, failed again and again; the message has how.", "See the daemon's log; start the daemon again, which tries anew, or the guest's machine."),
  NOT_TAKEN_BACK("SLU-MIG-038", "A migration that was given up could not be taken back whole.", "The guest's GPU, its machine or the daemon's host failed again and again; the message has how.", "See the daemon's log; let the machine go on by its monitor, or start the guest anew."),
  NOBODY_ATTACHED("SLU-MIG-040", "Nobody is attached to the guest that could be moved.", "Its machine or process does not run, or its memory cannot be passed on.", "Start it first; a guest without a client is created at the destination instead."),
  NOT_RUNNING("SLU-MIG-041", "The machine does not run.", "It is paused, or has ended; the message has QEMU's state.", "Let it run, and try again."),
  QEMU_BLOCKED("SLU-MIG-042", "QEMU cannot migrate the machine.", "A device of it cannot be migrated; the message has QEMU's reason.", "Remove that device."),
  DEVICE_PARTS("SLU-MIG-043", "A machine's device does not come in one part.", "The daemons' versions are too far apart, or the peer is faulty.", "Bring both daemons to the same version, or neighbouring ones."),
  MACHINE_MESSAGE("SLU-MIG-044", "A peer's message about its machine is not understood.", "The daemons' versions are too far apart, or the peer is faulty.", "Bring both daemons to the same version, or neighbouring ones."),
  NO_FILES("SLU-MIG-045", "A process comes without its files.", "The other daemon is faulty or of another version.", "Bring both daemons to the same version."),
  SESSIONS("SLU-MIG-046", "The machine's API sessions cannot move with it.", "A session has what cannot be made again elsewhere, its commands run for too long, or the destination takes no sessions; the message says which.", "See the message: give the guest opencl at the destination, end the program, or try again."),
  OLD_READER("SLU-MIG-062", "The destination cannot read the versions of the guest's records.", "Its daemon is older than the source's.", "Bring the destination's daemon to the source's version."),
  DEVICE_DATA("SLU-MIG-070", "The data that a VFIO client writes are no device's state.", "It wrote something else, or in another order.", "Write all that was read of one device, in that order, and nothing else."),
  SAVE_GIVEN_UP("SLU-MIG-071", "Saving a device for a VFIO client was given up.", "The client asked for another state before the end.", "Begin again."),
  RESUME_GIVEN_UP("SLU-MIG-072", "Resuming a device for a VFIO client was given up.", "The client asked for another state before the end.", "Begin again.");
  // spotless:on

  private final ErrorText text;

  MigrationCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
