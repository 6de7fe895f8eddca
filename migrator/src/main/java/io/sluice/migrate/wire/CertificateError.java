package io.sluice.migrate.wire;

import io.netty.handler.ssl.OpenSslCertificateException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a peer's certificate is not trusted, for whoever made it. BoringSSL is also given
 * OpenSSL's code of the reason (x509_vfy.h), by which it tells the peer; without one that hears of
 * an internal error.
 */
final class CertificateError {
  private static final int UNSPECIFIED = 1;
  private static final int NOT_YET_VALID = 9;
  private static final int HAS_EXPIRED = 10;
  private static final int NO_ISSUER = 20;
  private static final int HOSTNAME_MISMATCH = 62;

  /** The words of the JDK's check of names, whose exception has no class of its own. */
  private static final List<String> OTHER_NAME = List.of("No subject alternative", "No name match");

  private static final int DEEPEST = 16;

  private CertificateError() {}

  /**
   * @param called the name by which the peer was called; null when it called
   * @param found by the JDK
   */
  static CertificateException of(
      X509Certificate[] chain, @Nullable String called, CertificateException found) {
    if (chain.length == 0) {
      return found;
    }
    X509Certificate peer = chain[0];
    Throwable cause = found;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      String message = cause.getMessage() == null ? "" : cause.getMessage();
      if (cause instanceof CertificateExpiredException) {
        return refusal("has expired, until=" + peer.getNotAfter().toInstant(), HAS_EXPIRED, found);
      }
      if (cause instanceof CertificateNotYetValidException) {
        return refusal(
            "is not valid yet, from=" + peer.getNotBefore().toInstant(), NOT_YET_VALID, found);
      }
      if (OTHER_NAME.stream().anyMatch(message::startsWith)) {
        return refusal(
            "is for another name, called=" + called + ", names=" + names(peer),
            HOSTNAME_MISMATCH,
            found);
      }
      if (cause instanceof CertPathBuilderException
          || cause instanceof CertPathValidatorException path
              && path.getReason() == BasicReason.INVALID_SIGNATURE) {
        return refusal(
            "is of another authority, issuer=\"" + peer.getIssuerX500Principal() + '"',
            NO_ISSUER,
            found);
      }
      cause = cause.getCause();
    }
    return refusal("cannot be used: " + found.getMessage(), UNSPECIFIED, found);
  }

  private static CertificateException refusal(String what, int code, CertificateException found) {
    String text = "the other side's certificate " + what;
    return NativeTls.isAvailable()
        ? new OpenSslCertificateException(text, found, code)
        : new CertificateException(text, found);
  }

  private static String names(X509Certificate peer) {
    try {
      Collection<List<?>> names = peer.getSubjectAlternativeNames();
      return names == null ? "none" : names.stream().map(name -> name.get(1)).toList().toString();
    } catch (CertificateParsingException e) {
      return "none that can be read";
    }
  }
}
