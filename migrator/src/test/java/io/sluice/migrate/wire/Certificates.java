package io.sluice.migrate.wire;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Certificates of an authority of the test's own. */
final class Certificates {
  private final Path directory;
  private final X509Bundle authority;

  Certificates(Path directory) throws Exception {
    this.directory = directory;
    authority =
        new CertificateBuilder()
            .subject("CN=authority")
            .setIsCertificateAuthority(true)
            .ecp256()
            .buildSelfSigned();
  }

  /** Of a host, for a name, valid for an hour. */
  TlsFiles of(String host, String name) throws Exception {
    return of(host, name, Instant.now().plus(Duration.ofHours(1)));
  }

  TlsFiles of(String host, String name, Instant end) throws Exception {
    X509Bundle bundle =
        new CertificateBuilder()
            .subject("CN=" + host)
            .addSanDnsName(name)
            .notBefore(end.minus(Duration.ofDays(2)))
            .notAfter(end)
            .ecp256()
            .buildIssuedBy(authority);
    return new TlsFiles(
        write(host + ".crt", bundle.getCertificatePathPEM()),
        write(host + ".key", bundle.getPrivateKeyPEM()),
        write(host + ".ca", authority.getCertificatePEM()));
  }

  private Path write(String file, String text) throws Exception {
    return Files.writeString(directory.resolve(file), text);
  }
}
