package io.sluice.migrate.wire;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The failures of a link. */
final class WireFailure {
  private WireFailure() {}

  /** The peer sent what nobody may send. */
  static RefusedException protocol(String what) {
    return new RefusedException(
        WireCode.PROTOCOL, Errno.EPROTO, "the peer broke the migration protocol: " + what, "");
  }

  /** The peer ended the link. */
  static RefusedException ended() {
    return new RefusedException(
        WireCode.ENDED, Errno.ENOTCONN, "the other side has ended the link", "");
  }

  /** This side ended it. */
  static RefusedException closed() {
    return new RefusedException(WireCode.CLOSED, Errno.ENOTCONN, "the link is closed", "");
  }

  /** It was cut and could not be mended. */
  static RefusedException cut(String peer, long seconds) {
    return new RefusedException(
        WireCode.CUT,
        Errno.ENOTCONN,
        "the link was cut and did not come back, peer=" + peer + ", seconds=" + seconds,
        "See whether the other host runs and can be reached.");
  }

  /** Streams of it that were announced have not come. */
  static RefusedException notWhole(int missing, long seconds) {
    return new RefusedException(
        WireCode.NOT_WHOLE,
        Errno.ETIMEDOUT,
        "the link did not become whole, streams missing=" + missing + ", seconds=" + seconds,
        "See whether something between the hosts holds single connections up.");
  }

  /** The peer's answer to a beginning. */
  static RefusedException refused(String peer, String reason) {
    return new RefusedException(
        WireCode.REFUSED,
        Errno.ECONNREFUSED,
        "the other side refused the link, peer=" + peer + ", reason=" + reason,
        "");
  }

  /** No connection came about. */
  static RefusedException connect(String peer, @Nullable Throwable cause) {
    for (Throwable c = cause; c != null; c = c.getCause()) {
      if (c instanceof SSLException) {
        return tls(peer, c);
      }
    }
    String remedy =
        cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException
            ? "Check the name of the destination."
            : cause instanceof ConnectException
                ? "Start sluiced there with [migration] listen, and open its port."
                : "See whether the other host runs and can be reached.";
    return new RefusedException(
        WireCode.UNREACHABLE,
        Errno.ECONNREFUSED,
        "the destination cannot be reached, peer=" + peer + ", reason=" + text(cause),
        remedy);
  }

  /** The two sides do not trust each other. */
  static RefusedException tls(String peer, Throwable cause) {
    return new RefusedException(
        WireCode.UNTRUSTED,
        Errno.EACCES,
        "the two sides do not trust each other, peer=" + peer + ", reason=" + TlsReason.of(cause),
        "Both need certificates of one authority, within their time, the destination's with the"
            + " name it is called by: docs/migration.md, \"Certificates\".");
  }

  /** A certificate or key cannot be used. */
  static RefusedException certificate(String what, Throwable cause) {
    return new RefusedException(
        WireCode.CERTIFICATE,
        Errno.EINVAL,
        "cannot use " + what + ": " + text(cause),
        "Give PEM files; a key in PKCS#8: docs/migration.md, \"Certificates\".");
  }

  /** Each may be right; together they prove nothing. */
  static RefusedException notAPair(Path key, Path certificate) {
    return new RefusedException(
        WireCode.CERTIFICATE,
        Errno.EINVAL,
        "cannot use key " + key + ": it is not the key of certificate " + certificate,
        "Give the key by which that certificate was asked for: docs/migration.md, \"Certificates\".");
  }

  /** Nobody can listen there. */
  static RefusedException listen(String address, @Nullable Throwable cause) {
    return new RefusedException(
        WireCode.LISTEN,
        Errno.EADDRINUSE,
        "cannot listen for migrations, address=" + address + ", reason=" + text(cause),
        "Choose another [migration] listen.");
  }

  private static String text(@Nullable Throwable cause) {
    if (cause instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (cause instanceof AccessDeniedException) {
      return "the daemon's user may not read it";
    }
    return cause == null
        ? "unknown"
        : cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }
}
