package io.sluice.testbed.bench;

import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * P7: video memory from one engine to another over the link that migrations use, TLS 1.3 on
 * loopback, beside the same bytes copied over a bare TCP connection and the same bytes encrypted
 * and decrypted by the same cipher alone; and what is sent again after the link was cut.
 */
final class ThroughputBench implements Measurement {
  private static final int[] STREAMS = {1, 2, 4};
  private static final int ROUNDS = 3;
  private static final double OF_CIPHER = 0.8;
  private static final double OF_TCP = 0.9;
  private static final int CHUNK_BYTES = 256 << 10;

  /** Of TLS. */
  private static final int RECORD_BYTES = 16 << 10;

  @Override
  public String id() {
    return "P7";
  }

  @Override
  public String title() {
    return "throughput of a migration against bare TCP, and against its cipher";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    Path files = Files.createDirectory(context.directory().resolve("certificates"));
    Path own = Files.createDirectory(context.directory().resolve("host"));
    new HostCertificates(files).issue("bench", "127.0.0.1", own);
    List<Figure> figures = new ArrayList<>();
    double tcp = best(() -> tcpRate(EnginePair.BYTES));
    double cipher = best(ThroughputBench::cipherRate);
    figures.add(Figure.info("P7", "bare TCP on loopback", tcp, "GB/s"));
    figures.add(
        Figure.info("P7", "AES-256-GCM alone, encrypt and decrypt, a core", cipher, "GB/s"));
    double most = 0;
    for (int streams : STREAMS) {
      double rate =
          best(() -> {
            try (EnginePair pair = new EnginePair(context.kernel(), own, streams)) {
              return EnginePair.BYTES / (pair.move(pair.port(), () -> {}).ns() / 1.0);
            }
          });
      most = Math.max(most, rate);
      figures.add(Figure.info("P7", "migration, " + streams + " streams, encrypted", rate, "GB/s"));
    }
    figures.add(Figure.atLeast("P7", "migration / cipher alone", most / cipher, "", OF_CIPHER));
    figures.add(Figure.atLeast("P7", "migration / bare TCP", most / tcp, "", OF_TCP));
    figures.addAll(cut(context, own));
    return figures;
  }

  /** The link is cut when a part of the memory is across; it goes on by itself. */
  private static List<Figure> cut(BenchContext context, Path own) throws Exception {
    try (EnginePair pair = new EnginePair(context.kernel(), own, 2);
        DelayedLink link =
            new DelayedLink(
                "127.0.0.1",
                new InetSocketAddress("127.0.0.1", pair.port()),
                Duration.ofMillis(1))) {
      EnginePair.Moved moved = pair.move(link.port(), link::cut);
      return List.of(
          Figure.info("P7", "cuts of the link that were mended", moved.reconnects(), ""),
          Figure.info("P7", "sent again after a cut", moved.bytesAgain() / 1e6, "MB"),
          Figure.info(
              "P7", "of what was sent", 100.0 * moved.bytesAgain() / moved.bytesSent(), "%"));
    }
  }

  private interface Run {
    double gigabytesPerSecond() throws Exception;
  }

  private static double best(Run run) throws Exception {
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
      best = Math.max(best, run.gigabytesPerSecond());
    }
    return best;
  }

  private static double tcpRate(long bytes) throws IOException, InterruptedException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket out = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket in = server.accept()) {
      byte[] chunk = new byte[CHUNK_BYTES];
      Arrays.fill(chunk, (byte) 7);
      long start = System.nanoTime();
      Thread sender =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  OutputStream to = out.getOutputStream();
                  for (long sent = 0; sent < bytes; sent += chunk.length) {
                    to.write(chunk);
                  }
                  out.shutdownOutput();
                } catch (IOException _) {
                  // The reader sees too few bytes.
                }
              });
      InputStream from = in.getInputStream();
      byte[] into = new byte[CHUNK_BYTES];
      long read = 0;
      for (int n = from.read(into); n >= 0; n = from.read(into)) {
        read += n;
      }
      sender.join();
      if (read != bytes) {
        throw new IOException("read " + read + " bytes of " + bytes);
      }
      return (double) bytes / (System.nanoTime() - start);
    }
  }

  /** Both ends on one core: what it takes to have a byte across. */
  private static double cipherRate() throws GeneralSecurityException {
    SplittableRandom random = new SplittableRandom(3);
    byte[] secret = new byte[32];
    random.nextBytes(secret);
    SecretKeySpec key = new SecretKeySpec(secret, "AES");
    byte[] plain = new byte[RECORD_BYTES];
    random.nextBytes(plain);
    byte[] sealed = new byte[RECORD_BYTES + 16];
    byte[] opened = new byte[RECORD_BYTES];
    byte[] nonce = new byte[12];
    Cipher out = Cipher.getInstance("AES/GCM/NoPadding");
    Cipher in = Cipher.getInstance("AES/GCM/NoPadding");
    long start = System.nanoTime();
    for (long done = 0; done < EnginePair.BYTES; done += RECORD_BYTES) {
      nonce[0]++;
      if (nonce[0] == 0 && ++nonce[1] == 0) {
        nonce[2]++;
      }
      out.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
      int length = out.doFinal(plain, 0, plain.length, sealed);
      in.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, nonce));
      int _ = in.doFinal(sealed, 0, length, opened);
    }
    return (double) EnginePair.BYTES / (System.nanoTime() - start);
  }
}
