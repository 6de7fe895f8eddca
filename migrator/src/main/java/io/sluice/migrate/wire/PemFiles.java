package io.sluice.migrate.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The reader of certificates and keys as openssl writes them. */
final class PemFiles {
  private static final int MAX_BYTES = 1 << 20;
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

  private PemFiles() {}

  /** The certificates of a file, in its order. */
  static X509Certificate[] certificates(Path file) throws IOException, GeneralSecurityException {
    check(file);
    List<X509Certificate> found = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        if (one instanceof X509Certificate certificate) {
          found.add(certificate);
        }
      }
    }
    if (found.isEmpty()) {
      throw new IOException(file + " has no certificate");
    }
    return found.toArray(new X509Certificate[0]);
  }

  /** The private key of a file. */
  static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    check(file);
    String text = Files.readString(file);
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException(file + " has no unencrypted PKCS#8 key");
    }
    byte[] encoded;
    try {
      encoded = Base64.getMimeDecoder().decode(text.substring(begin + BEGIN.length(), end));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is not PEM", e);
    }
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(encoded);
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException _) {
        // Another kind of key.
      }
    }
    throw new IOException(file + " has a key of an unknown kind, known=" + ALGORITHMS);
  }

  private static void check(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is too long, limit=" + MAX_BYTES);
    }
  }
}
