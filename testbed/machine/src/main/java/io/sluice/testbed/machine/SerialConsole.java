package io.sluice.testbed.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A machine's serial console as a conversation: lines it prints, lines we type. */
public final class SerialConsole {
  private static final String END = "\0end";

  private final OutputStream out;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final List<String> transcript = new ArrayList<>(); // by itself
  private final Thread reader;

  /**
   * @param in what it prints; its end is QEMU's
   * @param out what is typed
   * @param echo is handed every line
   */
  public SerialConsole(InputStream in, OutputStream out, Consumer<String> echo) {
    this.out = out;
    reader = Thread.ofPlatform().daemon().name("serial").start(() -> read(in, echo));
  }

  private void read(InputStream bytes, Consumer<String> echo) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String plain = line.strip();
        synchronized (transcript) {
          transcript.add(plain);
        }
        echo.accept(plain);
        lines.add(plain);
      }
    } catch (IOException _) {
      // QEMU was ended: the same as the end of its output.
    }
    lines.add(END);
  }

  /**
   * Waits for a line that begins with a text.
   *
   * @return the rest of that line
   * @throws IOException with the console so far, when QEMU ends or the time is up
   */
  public String await(String prefix, Duration timeout) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new IOException("no line \"" + prefix + "\" within " + timeout + "\n" + text());
      }
      if (line.equals(END)) {
        throw new IOException("QEMU ended before a line \"" + prefix + "\"\n" + text());
      }
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
    }
  }

  /** Types a line. */
  public void type(String line) {
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything it has printed. */
  public String text() {
    synchronized (transcript) {
      return String.join("\n", transcript);
    }
  }

  /** Waits until all that QEMU printed was read. */
  public void join() throws InterruptedException {
    reader.join();
  }
}
