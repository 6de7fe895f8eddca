package io.sluice.migrate.wire;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The peers that this daemon trusts: those with a certificate of its authority. The JDK decides;
 * why it does not trust one is said by {@link CertificateError}.
 */
final class PeerTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager jdk;

  private PeerTrust(X509ExtendedTrustManager jdk) {
    this.jdk = jdk;
  }

  /**
   * @param authorities of whose certificates one is enough
   */
  static PeerTrust in(X509Certificate... authorities) throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    for (int i = 0; i < authorities.length; i++) {
      trusted.setCertificateEntry("authority-" + i, authorities[i]);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    for (TrustManager one : factory.getTrustManagers()) {
      if (one instanceof X509ExtendedTrustManager extended) {
        return new PeerTrust(extended);
      }
    }
    throw new GeneralSecurityException("this Java has nothing that checks certificates");
  }

  @FunctionalInterface
  private interface CertificateCheck {
    void run() throws CertificateException;
  }

  private static void check(
      X509Certificate[] chain, @Nullable String called, CertificateCheck check)
      throws CertificateException {
    try {
      check.run();
    } catch (CertificateException e) {
      throw CertificateError.of(chain, called, e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain, engine.getPeerHost(), () -> jdk.checkServerTrusted(chain, type, engine));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain, null, () -> jdk.checkClientTrusted(chain, type, engine));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain, null, () -> jdk.checkServerTrusted(chain, type, socket));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain, null, () -> jdk.checkClientTrusted(chain, type, socket));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain, null, () -> jdk.checkServerTrusted(chain, type));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain, null, () -> jdk.checkClientTrusted(chain, type));
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return jdk.getAcceptedIssuers();
  }
}
