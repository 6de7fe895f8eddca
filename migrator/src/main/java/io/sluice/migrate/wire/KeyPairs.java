package io.sluice.migrate.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Map;

/** Keys that belong together: what one signs the other verifies. */
final class KeyPairs {
  private static final byte[] TEXT = "sluice".getBytes(StandardCharsets.US_ASCII);

  /** A way to sign, by the kind of key. */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

  private KeyPairs() {}

  static boolean belong(PublicKey certified, PrivateKey secret) {
    if (!certified.getAlgorithm().equals(secret.getAlgorithm())) {
      return false;
    }
    String way = SIGNATURES.get(secret.getAlgorithm());
    if (way == null) {
      return true; // left to the library
    }
    try {
      Signature signer = Signature.getInstance(way);
      signer.initSign(secret);
      signer.update(TEXT);
      Signature verifier = Signature.getInstance(way);
      verifier.initVerify(certified);
      verifier.update(TEXT);
      return verifier.verify(signer.sign());
    } catch (GeneralSecurityException _) {
      return false; // of other curves, or other lengths
    }
  }
}
