package io.sluice.migrate.qmp;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the talk with QEMU's monitor. */
enum QmpCode implements ErrorEntry {
  // spotless:off
  SOCKET("SLU-QMP-001", "The machine's QMP socket cannot be used.", "QEMU does not listen there, is frozen, or serves somebody else.", "Start QEMU with -qmp unix:SOCKET,server=on,wait=off, and let nobody else hold it."),
  ENDED("SLU-QMP-002", "The machine's QMP connection has ended.", "QEMU has ended, or closed it.", "See whether QEMU still runs."),
  TIMEOUT("SLU-QMP-003", "QEMU did not answer in time.", "It is frozen, or its host overloaded.", "See whether QEMU is frozen."),
  REFUSED("SLU-QMP-004", "QEMU refused a command.", "The message has QEMU's reason.", "See that reason, and QEMU's log."),
  GARBLED("SLU-QMP-005", "The answer at the QMP socket is not understood.", "Something else than QEMU listens there.", "Check qmp of the guest in the configuration."),
  TOO_SLOW("SLU-QMP-006", "QEMU's migration did not reach a state in time.", "The other machine does not take part, or the host is overloaded.", "See both QEMUs' logs."),
  NO_ADDRESS("SLU-QMP-007", "QEMU names a PCI address that there is none of.", "Its answer is not understood.", "Report it with the version of QEMU."),
  NO_FUNCTION("SLU-QMP-008", "The machine has no PCI function that is this guest's device.", "The QMP socket is that of another machine.", "See whether qmp of this guest names the socket of the machine that uses it."),
  NOT_WAITING("SLU-QMP-009", "The destination's machine does not wait for another one.", "It was started without -incoming, or was used already.", "Start it with -S -incoming defer, and as the source is but for its sockets."),
  DENIED("SLU-QMP-012", "The daemon's user may not use the machine's QMP socket.", "QEMU, of another user, has made it with a umask that keeps the daemon out, or in another directory.", "Have it in RUN-DIR/machines, and start QEMU with umask 007, as libvirt does by itself.");
  // spotless:on

  private final ErrorText text;

  QmpCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
