package io.sluice.daemon;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** Where the program's log goes: to standard error, one line an event. */
final class LogSetup {
  private static final Path STDERR = Path.of("/proc/self/fd/2");

  private LogSetup() {}

  /**
   * Replaces whatever logback has set up by itself.
   *
   * @param level a level of the configuration
   * @param environment the process' environment
   */
  static void install(String level, Map<String, String> environment) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    LogfmtLayout layout =
        new LogfmtLayout(isJournal(environment.getOrDefault("JOURNAL_STREAM", "")));
    layout.setContext(context);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    encoder.setLayout(layout);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.toLevel(level));
    root.addAppender(appender);
  }

  /**
   * Whether standard error is the journal's: {@code JOURNAL_STREAM} names device and inode, and is
   * inherited by processes whose standard error is another. systemd.exec(5).
   */
  private static boolean isJournal(String journalStream) {
    try {
      Object device = Files.getAttribute(STDERR, "unix:dev");
      Object inode = Files.getAttribute(STDERR, "unix:ino");
      return journalStream.equals(device + ":" + inode);
    } catch (IOException | UnsupportedOperationException _) {
      return false;
    }
  }
}
