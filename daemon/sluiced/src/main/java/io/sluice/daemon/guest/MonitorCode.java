package io.sluice.daemon.guest;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the rights at machines' monitors. */
enum MonitorCode implements ErrorEntry {
  // spotless:off
  FOREIGN("SLU-QMP-010", "The machine's monitor is another user's than the machine.", "Another member of guest-group has made a socket of that name.", "Remove that socket, see who made it, and start the machine anew."),
  ACCESS("SLU-QMP-011", "The sockets of the machine's monitor cannot be used by both users.", "Their directory is not the daemon's, or its file system has no ACLs.", "Have daemon.run-dir, and the guest's qmp, on a file system with ACLs, such as tmpfs.");
  // spotless:on

  private final ErrorText text;

  MonitorCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
