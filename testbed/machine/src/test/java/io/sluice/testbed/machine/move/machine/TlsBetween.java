package io.sluice.testbed.machine.move.machine;

import io.sluice.migrate.link.FrameType;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stands between two daemons with a good certificate for either: what the destination takes for the
 * source's words has passed here, and one of them was changed. To the destination this is a source
 * with a certificate that says what nobody may say; behind it is a real one, with a real machine.
 */
final class TlsBetween implements AutoCloseable {
  private static final int HEAD_BYTES = 16;
  private static final int CHECKED_BYTES = 12;
  private static final int LENGTH_AT = 8;
  private static final int HELLO = 0x180;
  private static final int ROLE_AT = 8;
  private static final int TUNNEL = 2;
  private static final int MAX_PAYLOAD_BYTES = 1 << 20;
  private static final int RUNS_AT = 4;
  private static final int OFFSET_AT = 8;

  /** What is said otherwise than it was, once. */
  enum Lie {
    /** A bit of a page, with the sum of what it was. */
    WRONG_SUM(FrameType.PAGES, "a section whose sum is wrong") {
      @Override
      byte[] change(byte[] section) {
        section[section.length - 1] ^= 1;
        return section;
      }
    },
    /** A frame longer than any. */
    TOO_LONG(FrameType.PAGES, "a section of 1048577 bytes") {
      @Override
      byte[] change(byte[] section) {
        words(section).putInt(LENGTH_AT, MAX_PAYLOAD_BYTES + 1);
        return section;
      }
    },
    /** Pages that are not of video memory. */
    PAGE_OUTSIDE(FrameType.PAGES, "a page is outside video memory") {
      @Override
      byte[] change(byte[] section) {
        words(section).putLong(HEAD_BYTES + OFFSET_AT, 1L << 50);
        return summed(section);
      }
    },
    /** A table with more rows than one may have, and than there are. */
    TABLE_TOO_LONG(FrameType.PAGES, "has no such runs") {
      @Override
      byte[] change(byte[] section) {
        words(section).putInt(HEAD_BYTES + RUNS_AT, Integer.MAX_VALUE);
        return summed(section);
      }
    },
    /** The guest's state, of which there is said to be another kind; the guest stands still. */
    UNKNOWN_STATE(FrameType.STATE, "is state of no known kind") {
      @Override
      byte[] change(byte[] section) {
        words(section).putInt(HEAD_BYTES, 99);
        return summed(section);
      }
    },
    /** Whole, and not what its sum over all of it says. */
    OTHER_STATE(FrameType.STATE, "does not match the state") {
      @Override
      byte[] change(byte[] section) {
        section[section.length - 1] ^= 1;
        return summed(section);
      }
    };

    private final FrameType type;
    private final String reason;

    Lie(FrameType type, String reason) {
      this.type = type;
      this.reason = reason;
    }

    /** What both sides are to say about it. */
    String reason() {
      return reason;
    }

    /** Changes a section of its type, head included. */
    abstract byte[] change(byte[] section);
  }

  private final SSLContext tls;
  private final SSLServerSocket listener;
  private final InetSocketAddress to;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable Lie> next = new AtomicReference<>();

  /**
   * @param files directory of the certificate
   * @param address that it is for, where this listens
   * @param to the destination's daemon
   */
  TlsBetween(Path files, String address, InetSocketAddress to)
      throws IOException, GeneralSecurityException {
    this.to = to;
    tls = context(files);
    listener =
        (SSLServerSocket)
            tls.getServerSocketFactory().createServerSocket(0, 64, InetAddress.getByName(address));
    listener.setNeedClientAuth(true);
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** The next frame that can be changed so is. */
  void say(Lie lie) {
    next.set(lie);
  }

  private static SSLContext context(Path files) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    keys.setKeyEntry(
        "own",
        key(files.resolve("host.key")),
        new char[0],
        new Certificate[] {certificate(files.resolve("host.crt"))});
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("authority", certificate(files.resolve("authority.crt")));
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, new char[0]);
    TrustManagerFactory others = TrustManagerFactory.getInstance("PKIX");
    others.init(trust);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(own.getKeyManagers(), others.getTrustManagers(), null);
    return context;
  }

  private static Certificate certificate(Path file) throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    String base64 = Files.readString(file).replaceAll("-----[A-Z ]+-----", "");
    byte[] der = Base64.getMimeDecoder().decode(base64);
    return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
  }

  private void accept() {
    try {
      while (true) {
        Socket source = listener.accept();
        open.add(source);
        start(() -> pass(source));
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void pass(Socket source) {
    try (SSLSocket target = (SSLSocket) tls.getSocketFactory().createSocket()) {
      open.add(target);
      target.connect(to);
      target.setTcpNoDelay(true);
      source.setTcpNoDelay(true);
      start(() -> copyQuietly(target, source));
      words(new DataInputStream(source.getInputStream()), target.getOutputStream());
    } catch (IOException _) {
      // Either has ended.
    } finally {
      close(source);
    }
  }

  /** Section by section, but for a tunnel, which carries a machine's own stream. */
  private void words(DataInputStream in, OutputStream out) throws IOException {
    while (true) {
      byte[] head = new byte[HEAD_BYTES];
      try {
        in.readFully(head);
      } catch (EOFException _) {
        return;
      }
      int length = words(head).getInt(LENGTH_AT);
      byte[] section = new byte[HEAD_BYTES + length];
      System.arraycopy(head, 0, section, 0, HEAD_BYTES);
      in.readFully(section, HEAD_BYTES, length);
      int id = words(section).getInt();
      boolean tunnel = id == HELLO && words(section).getInt(HEAD_BYTES + ROLE_AT) == TUNNEL;
      Lie lie = next.get();
      if (lie != null && lie.type.number() == id && next.compareAndSet(lie, null)) {
        section = lie.change(section);
      }
      out.write(section);
      out.flush();
      if (tunnel) {
        in.transferTo(out);
        return;
      }
    }
  }

  private static void copyQuietly(Socket from, Socket into) {
    try {
      from.getInputStream().transferTo(into.getOutputStream());
    } catch (IOException _) {
      // Either has ended.
    } finally {
      close(from);
      close(into);
    }
  }

  private static ByteBuffer words(byte[] section) {
    return ByteBuffer.wrap(section).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** With the sum that belongs to it: nothing is wrong but what it says. */
  private static byte[] summed(byte[] section) {
    CRC32C sum = new CRC32C();
    sum.update(section, 0, CHECKED_BYTES);
    sum.update(section, HEAD_BYTES, section.length - HEAD_BYTES);
    words(section).putInt(CHECKED_BYTES, (int) sum.getValue());
    return section;
  }

  private static void start(Runnable action) {
    Thread.ofPlatform().daemon().name("tls-between").start(action);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // It was closed meanwhile.
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(TlsBetween::close);
  }
}
