package io.sluice.daemon.sessions;

import io.sluice.abi.RateLimit;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines that a guest's session hosts write, in the daemon's log: not too many, none too long. A
 * host that writes without end is read at a pace, and waits at its full pipe.
 */
final class HostWords {
  private static final Logger LOG = LoggerFactory.getLogger(HostWords.class);

  /** Lines at once, and how often one in the long run. */
  private static final int BURST = 50;

  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final int LONGEST_LINE = 500;

  private final String guest;
  private final RateLimit lines;
  private final Supplier<LinkPace> paces; // of each process

  HostWords(String guest, LongSupplier nanoTime) {
    this(guest, nanoTime, () -> new LinkPace(nanoTime));
  }

  HostWords(String guest, LongSupplier nanoTime, Supplier<LinkPace> paces) {
    this.guest = guest;
    this.paces = paces;
    lines = new RateLimit(BURST, INTERVAL, nanoTime);
  }

  /** Reads what a process writes to its standard error, until it ends. */
  void read(Process process) {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(paced(process.getErrorStream()), StandardCharsets.UTF_8))) {
      StringBuilder line = new StringBuilder();
      for (int c = reader.read(); c >= 0; c = reader.read()) {
        if (c == '\n') {
          log(line.toString());
          line.setLength(0);
        } else if (line.length() < LONGEST_LINE) {
          line.append(Character.isISOControl(c) ? ' ' : (char) c);
        }
      }
      log(line.toString());
    } catch (IOException e) {
      LOG.atDebug().addKeyValue("guest", guest).setCause(e).log("a session host's words are lost");
    }
  }

  private InputStream paced(InputStream words) {
    LinkPace pace = paces.get();
    return new FilterInputStream(words) {
      @Override
      public int read(byte[] into, int begin, int most) throws IOException {
        int bytes = super.read(into, begin, most);
        pace.read(Math.max(0, bytes));
        return bytes;
      }
    };
  }

  private void log(String line) {
    if (!line.isBlank() && lines.tryTake()) {
      LOG.atInfo().addKeyValue("guest", guest).addKeyValue("line", line).log("session host says");
    }
  }
}
