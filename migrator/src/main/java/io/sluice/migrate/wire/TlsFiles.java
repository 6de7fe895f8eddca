package io.sluice.migrate.wire;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

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
      throw WireFailure.certificate(toString(), e);
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
      throw WireFailure.certificate(toString(), e);
    }
  }

  /**
   * Reads the files once, to find out whether they can be used.
   *
   * @throws io.sluice.abi.RefusedException when not
   */
  public void check() {
    SslContext _ = server();
    SslContext _ = client();
  }
}
