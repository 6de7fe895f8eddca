package io.sluice.migrate.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLPeerUnverifiedException;

/** The names of a peer: those that its certificate is for. */
final class PeerNames {
  private static final int DNS = 2;
  private static final int ADDRESS = 7;

  private PeerNames() {}

  /** Of whoever is at the other end; none when it has not shown a certificate. */
  static Set<String> of(ChannelHandlerContext context) {
    SslHandler tls = context.pipeline().get(SslHandler.class);
    try {
      Certificate[] chain = tls.engine().getSession().getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate own ? of(own) : Set.of();
    } catch (SSLPeerUnverifiedException | CertificateParsingException _) {
      return Set.of();
    }
  }

  /** Of a certificate's own. */
  static Set<String> of(X509Certificate certificate) throws CertificateParsingException {
    Set<String> names = new HashSet<>();
    Collection<List<?>> all = certificate.getSubjectAlternativeNames();
    if (all == null) {
      return names;
    }
    for (List<?> name : all) {
      boolean isHost = name.get(0).equals(DNS) || name.get(0).equals(ADDRESS);
      if (isHost && name.get(1) instanceof String text) {
        names.add(text);
      }
    }
    return names;
  }
}
