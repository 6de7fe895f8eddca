package io.sluice.testbed.bench.migration;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The peers of P7: bytes over a bare TCP connection on loopback, the cipher that TLS uses by
 * itself, and both together: what encrypted bytes over one connection can at most come to when each
 * end has a core.
 */
final class ThroughputPeers {
  /** Of TLS. */
  private static final int RECORD_BYTES = 16 << 10;

  /** Of TLS_AES_128_GCM_SHA256, which both sides agree on. */
  private static final int KEY_BYTES = 16;

  private static final int TAG_BYTES = 16;
  private static final int CHUNK_RECORDS = 16;
  private static final int CHUNK_BYTES = CHUNK_RECORDS * RECORD_BYTES;
  private static final int SEALED_CHUNK_BYTES = CHUNK_RECORDS * (RECORD_BYTES + TAG_BYTES);

  private ThroughputPeers() {}

  /** One direction of a connection: records under a nonce that counts. */
  private static final class Records {
    private final Cipher cipher;
    private final int mode;
    private final SecretKeySpec key;
    private final byte[] nonce = new byte[12];

    Records(int mode) throws GeneralSecurityException {
      this.mode = mode;
      byte[] secret = new byte[KEY_BYTES];
      new SplittableRandom(3).nextBytes(secret);
      key = new SecretKeySpec(secret, "AES");
      cipher = Cipher.getInstance("AES/GCM/NoPadding");
    }

    /** Seals or opens one; how many bytes it has become. */
    int next(byte[] from, int at, int length, byte[] into, int to) throws GeneralSecurityException {
      for (int i = 0; ++nonce[i] == 0; ) {
        i++;
      }
      cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
      return cipher.doFinal(from, at, length, into, to);
    }
  }

  private static byte[] plain(int bytes) {
    byte[] plain = new byte[bytes];
    new SplittableRandom(4).nextBytes(plain);
    return plain;
  }

  /** GB/s of the cipher alone, both ends on one core: what it takes to have a byte across. */
  static double cipher(long bytes) throws GeneralSecurityException {
    Records sealing = new Records(Cipher.ENCRYPT_MODE);
    Records opening = new Records(Cipher.DECRYPT_MODE);
    byte[] plain = plain(RECORD_BYTES);
    byte[] sealed = new byte[RECORD_BYTES + TAG_BYTES];
    byte[] opened = new byte[RECORD_BYTES];
    long start = System.nanoTime();
    for (long done = 0; done < bytes; done += RECORD_BYTES) {
      int length = sealing.next(plain, 0, plain.length, sealed, 0);
      int _ = opening.next(sealed, 0, length, opened, 0);
    }
    return (double) bytes / (System.nanoTime() - start);
  }

  private interface Sender {
    void to(OutputStream out) throws Exception;
  }

  private interface Receiver {
    /** How many bytes came. */
    long from(InputStream in) throws Exception;
  }

  private static double over(long bytes, Sender sender, Receiver receiver) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket out = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket in = server.accept()) {
      Callable<Boolean> sending =
          () -> {
            sender.to(out.getOutputStream());
            out.shutdownOutput();
            return true;
          };
      FutureTask<Boolean> sent = new FutureTask<>(sending);
      long start = System.nanoTime();
      Thread _ = Thread.ofPlatform().daemon().start(sent);
      long came = receiver.from(in.getInputStream());
      long ns = System.nanoTime() - start;
      if (!sent.get() || came != bytes) {
        throw new IOException("read " + came + " bytes of " + bytes);
      }
      return (double) bytes / ns;
    }
  }

  /** GB/s over a bare connection. */
  static double tcp(long bytes) throws Exception {
    return over(
        bytes,
        out -> {
          byte[] chunk = plain(CHUNK_BYTES);
          for (long sent = 0; sent < bytes; sent += chunk.length) {
            out.write(chunk);
          }
        },
        in -> {
          byte[] into = new byte[CHUNK_BYTES];
          long read = 0;
          for (int n = in.read(into); n >= 0; n = in.read(into)) {
            read += n;
          }
          return read;
        });
  }

  /** GB/s over a connection whose one end encrypts and whose other decrypts, a thread each. */
  static double cipherOverTcp(long bytes) throws Exception {
    return over(
        bytes,
        out -> {
          Records sealing = new Records(Cipher.ENCRYPT_MODE);
          byte[] chunk = plain(CHUNK_BYTES);
          byte[] sealed = new byte[SEALED_CHUNK_BYTES];
          for (long sent = 0; sent < bytes; sent += chunk.length) {
            int length = 0;
            for (int at = 0; at < chunk.length; at += RECORD_BYTES) {
              length += sealing.next(chunk, at, RECORD_BYTES, sealed, length);
            }
            out.write(sealed, 0, length);
          }
        },
        in -> {
          Records opening = new Records(Cipher.DECRYPT_MODE);
          DataInputStream whole = new DataInputStream(in);
          byte[] sealed = new byte[SEALED_CHUNK_BYTES];
          byte[] opened = new byte[CHUNK_BYTES];
          long read = 0;
          while (read < bytes) {
            whole.readFully(sealed);
            int length = 0;
            for (int at = 0; at < sealed.length; at += RECORD_BYTES + TAG_BYTES) {
              length += opening.next(sealed, at, RECORD_BYTES + TAG_BYTES, opened, length);
            }
            read += length;
          }
          return read;
        });
  }
}
