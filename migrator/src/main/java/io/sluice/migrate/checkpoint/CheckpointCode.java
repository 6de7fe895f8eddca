package io.sluice.migrate.checkpoint;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of checkpoints. */
public enum CheckpointCode implements ErrorEntry {
  // spotless:off
  WRITE("SLU-CKP-001", "The checkpoint cannot be written.", "The disk is full, or the directory not the daemon's to write.", "See to the room on that disk and the permissions of the directory."),
  READ("SLU-CKP-002", "The checkpoint cannot be used.", "It is incomplete, damaged, or of another version; the message says which.", "Take another checkpoint, or use an earlier one."),
  EMPTY_RANGE("SLU-CKP-003", "The checkpoint has a range of memory without bytes.", "The file is damaged.", "Use another checkpoint."),
  CLIENT_LEFT("SLU-CKP-004", "The guest's client has left.", "Its process ended while it was written or restored.", "Start it again, and try again."),
  STREAM("SLU-CKP-005", "The machine's own stream cannot be taken.", "No socket can be made beside its QMP socket.", "See to the directory of its QMP socket."),
  NOT_STARTED("SLU-CKP-006", "The machine is restored and does not go on.", "QEMU refused to continue; the message has its reason.", "Let it go on by its monitor (cont), or end it."),
  NOT_OURS("SLU-CKP-007", "There is a file of that name that is no checkpoint.", "The daemon does not replace what it did not write.", "Choose another name, or remove what is there."),
  SESSION("SLU-CKP-008", "The API sessions of the checkpoint are not made again.", "The session host of the guest lacks what they need, the file is damaged, or there are too many; the message says which.", "Restore it where the guest's OpenCL has what is named, or take another checkpoint."),
  NEEDED("SLU-CKP-009", "A session waits in the file of that name.", "What it has is in that file and nowhere else.", "Choose another name, or restore that session first."),
  SESSION_BYTES("SLU-CKP-010", "The API sessions send more than a file may have of them.", "Programs write to their objects faster than these get into the file, or a session host is faulty or hostile.", "Stop the program that writes so much, or give the guest's sessions more memory."),
  SESSION_SILENT("SLU-CKP-011", "An API session says nothing while it is put into a file.", "Its session host hangs, or waits for its OpenCL.", "Look at the guest's session host, and end the session if it stays so.");
  // spotless:on

  private final ErrorText text;

  CheckpointCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
