package io.sluice.sluicectl.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The keyboard of a terminal, as long as single keys count: the terminal does not wait for a line
 * and shows nothing of what is typed. It is as it was once this is closed, or the program ends.
 */
public final class Keyboard implements AutoCloseable {
  private static final Path TERMINAL = Path.of("/dev/tty");
  private static final int USUAL_COLUMNS = 80;
  private static final long PATIENCE_S = 5;
  private static final int END = -1;

  private final CountDownLatch quit = new CountDownLatch(1);
  private final @Nullable String former;
  private final @Nullable Thread restorer;

  private Keyboard(@Nullable String former) {
    this.former = former;
    restorer = former == null ? null : Thread.ofPlatform().unstarted(() -> stty(former));
  }

  /** Nobody types. */
  public static Keyboard none() {
    return new Keyboard(null);
  }

  /** That of the terminal; nobody's when it cannot be had. */
  public static Keyboard open() {
    String former = stty("-g").strip();
    if (former.isEmpty()) {
      return none();
    }
    Keyboard keyboard = new Keyboard(former);
    Runtime.getRuntime().addShutdownHook(keyboard.restorer);
    stty("-icanon", "-echo", "min", "1");
    Thread.ofPlatform().daemon().name("keyboard").start(keyboard::read);
    return keyboard;
  }

  private void read() {
    try (InputStream keys = Files.newInputStream(TERMINAL)) {
      int key = keys.read();
      while (key != 'q' && key != 'Q' && key != END) {
        key = keys.read();
      }
      if (key != END) {
        quit.countDown();
      }
    } catch (IOException _) {
      // Nobody types any more; an interrupt ends the program all the same.
    }
  }

  /** Waits for q, for so long at most. */
  public boolean awaitQuit(Duration pause) throws InterruptedException {
    return quit.await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    Thread hook = restorer;
    if (former != null && hook != null) {
      stty(former);
      try {
        boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException _) {
        // The program is ending, and the hook runs.
      }
    }
  }

  /** How many columns the terminal has. */
  public static int columns() {
    return columns(stty("size"));
  }

  /**
   * @param size what stty says of it: rows, and columns
   */
  public static int columns(String size) {
    String[] words = size.strip().split(" ");
    if (words.length != 2 || !words[1].matches("[1-9][0-9]{0,4}")) {
      return USUAL_COLUMNS;
    }
    return Integer.parseInt(words[1]);
  }

  /** What it prints; empty when it fails. */
  private static String stty(String... arguments) {
    try {
      List<String> command = new ArrayList<>(List.of("stty"));
      command.addAll(List.of(arguments));
      Process process =
          new ProcessBuilder(command)
              .redirectInput(TERMINAL.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.waitFor(PATIENCE_S, TimeUnit.SECONDS) && process.exitValue() == 0 ? text : "";
    } catch (IOException _) {
      return "";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
