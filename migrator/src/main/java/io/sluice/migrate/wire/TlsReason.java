package io.sluice.migrate.wire;

import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;

/**
 * The reason why a handshake failed, or a connection was ended, in words. What this side found
 * wrong with the other's certificate, as {@link CertificateError} says it, is a cause beneath words
 * of the library that say less. What the other side found wrong comes as an alert (RFC 8446,
 * section 6.2), which BoringSSL tells as the name of one of its error codes and the JDK as the name
 * of the alert. A record that was damaged is called as the alert is that says so to the other side.
 */
final class TlsReason {
  private static final int DEEPEST = 16;
  private static final Pattern ALERT =
      Pattern.compile("(?:(?:SSLV3|TLSV1)_ALERT_|Received fatal alert: )(\\w+)");

  /** What BoringSSL calls a record that was damaged. */
  private static final String DAMAGED = ":BAD_DECRYPT";

  private TlsReason() {}

  static String of(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      String message = cause.getMessage() == null ? "" : cause.getMessage();
      Matcher alert = ALERT.matcher(message);
      if (alert.find()) {
        return "the other side says: " + alert.group(1).toLowerCase(Locale.ROOT).replace('_', ' ');
      }
      if (cause instanceof AEADBadTagException || message.endsWith(DAMAGED)) {
        return "bad record mac";
      }
      if (cause instanceof CertificateException && !message.isEmpty()) {
        return message;
      }
      cause = cause.getCause();
    }
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
