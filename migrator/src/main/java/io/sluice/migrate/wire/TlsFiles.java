package io.sluice.migrate.wire;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * The files that say who this daemon is and whom it trusts. TLS 1.3 only, and both sides show a
 * certificate.
 *
 * @param certificate its certificate and those between it and the authority, PEM
 * @param key its private key, PKCS#8 PEM
 * @param authority whose certificates are trusted, PEM
 */
public record TlsFiles(Path certificate, Path key, Path authority) {
  private static final String PROTOCOL = "TLSv1.3";

  /**
   * The time in which both the certificate and one of the authority are valid.
   *
   * @param from the later of their beginnings
   * @param until the earlier of their ends
   */
  public record Validity(Instant from, Instant until) {}

  private static SslProvider provider() {
    return NativeTls.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  SslContext server() {
    try {
      return SslContextBuilder.forServer(PemFiles.key(key), PemFiles.certificates(certificate))
          .sslProvider(provider())
          .protocols(PROTOCOL)
          .trustManager(PeerTrust.in(PemFiles.certificates(authority)))
          .clientAuth(ClientAuth.REQUIRE)
          .build();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw WireFailure.certificate("certificate " + certificate + " and its key " + key, e);
    }
  }

  /** A client checks that the certificate is for the name it has connected to. */
  SslContext client() {
    try {
      return SslContextBuilder.forClient()
          .sslProvider(provider())
          .protocols(PROTOCOL)
          .keyManager(PemFiles.key(key), PemFiles.certificates(certificate))
          .trustManager(PeerTrust.in(PemFiles.certificates(authority)))
          .endpointIdentificationAlgorithm("HTTPS")
          .build();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw WireFailure.certificate("certificate " + certificate + " and its key " + key, e);
    }
  }

  /**
   * Reads the files once, to find out whether they can be used, and belong together.
   *
   * @return when they are valid, which may be over
   * @throws io.sluice.abi.RefusedException when not; its message names the file
   */
  public Validity check() {
    X509Certificate own = certificates("certificate", certificate)[0];
    PrivateKey secret = secret();
    X509Certificate[] trusted = certificates("authority", authority);
    if (!KeyPairs.belong(own.getPublicKey(), secret)) {
      throw WireFailure.notAPair(key, certificate);
    }
    SslContext _ = server();
    SslContext _ = client();
    X509Certificate last = trusted[0];
    for (X509Certificate one : trusted) {
      last = one.getNotAfter().after(last.getNotAfter()) ? one : last;
    }
    return new Validity(
        later(own.getNotBefore().toInstant(), last.getNotBefore().toInstant()),
        earlier(own.getNotAfter().toInstant(), last.getNotAfter().toInstant()));
  }

  /**
   * The name that the certificate gives this host; of several, a name before an address.
   *
   * @throws io.sluice.abi.RefusedException when it cannot be read
   */
  public Optional<String> name() {
    try {
      return PeerNames.of(certificates("certificate", certificate)[0]).stream()
          .min(
              Comparator.comparing((String name) -> name.matches("[0-9.]+|.*:.*"))
                  .thenComparing(Comparator.naturalOrder()));
    } catch (CertificateParsingException e) {
      throw WireFailure.certificate("certificate " + certificate, e);
    }
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  private static X509Certificate[] certificates(String what, Path file) {
    try {
      return PemFiles.certificates(file);
    } catch (IOException | GeneralSecurityException e) {
      throw WireFailure.certificate(what + " " + file, e);
    }
  }

  private PrivateKey secret() {
    try {
      return PemFiles.key(key);
    } catch (IOException | GeneralSecurityException e) {
      throw WireFailure.certificate("key " + key, e);
    }
  }
}
