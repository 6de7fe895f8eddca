package io.sluice.migrate.qmp;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;

/** The failures of a monitor. */
final class QmpFailure {
  private QmpFailure() {}

  /** No connection could be made. */
  static RefusedException unreachable(String socket, String reason) {
    return new RefusedException(
        QmpCode.SOCKET,
        Errno.ECONNREFUSED,
        "the machine's QMP socket cannot be used, socket=" + socket + ", reason=" + reason,
        "Start QEMU with -qmp unix:"
            + socket
            + ",server=on,wait=off, and let nobody else hold it.");
  }

  /** The daemon's user may not write to the socket. */
  static RefusedException denied(String socket) {
    return new RefusedException(
        QmpCode.DENIED,
        Errno.EACCES,
        "the machine's QMP socket may not be used, socket=" + socket,
        "Have it in RUN-DIR/machines, and start QEMU with umask 007, as libvirt does by itself.");
  }

  /** Somebody listens and says nothing: QEMU serves one connection at a time. */
  static RefusedException held(String socket) {
    return new RefusedException(
        QmpCode.SOCKET,
        Errno.EBUSY,
        "the machine's QMP socket cannot be used, socket="
            + socket
            + ", reason=no greeting in time; somebody else may be connected",
        "Let nobody else hold it, and see whether QEMU is frozen.");
  }

  /** The connection ended. */
  static RefusedException lost(String socket) {
    return new RefusedException(
        QmpCode.ENDED,
        Errno.ENOTCONN,
        "the machine's QMP connection has ended, socket=" + socket,
        "Look whether QEMU still runs.");
  }

  /** No answer came in time. */
  static RefusedException timeout(String socket, String command) {
    return new RefusedException(
        QmpCode.TIMEOUT,
        Errno.ETIMEDOUT,
        "QEMU did not answer in time, command=" + command + ", socket=" + socket,
        "");
  }

  /** QEMU refused a command. */
  static RefusedException refused(String command, JsonObject error) {
    return new RefusedException(
        QmpCode.REFUSED,
        Errno.EIO,
        "QEMU refused a command, command="
            + command
            + ", reason="
            + error.text("desc").orElse("none given"),
        "");
  }

  /** The other side is no QEMU that can be used. */
  static RefusedException strange(String socket, String what) {
    return new RefusedException(
        QmpCode.GARBLED,
        Errno.EPROTO,
        "what answers at the QMP socket is not to be understood: " + what + ", socket=" + socket,
        "");
  }
}
