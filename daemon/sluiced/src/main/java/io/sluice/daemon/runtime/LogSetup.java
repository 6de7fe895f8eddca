package io.sluice.daemon.runtime;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** The set-up of the program's log: to standard error, one line an event. */
public final class LogSetup {
  private static final Path STDERR = Path.of("/proc/self/fd/2");

  private LogSetup() {}

  /**
   * Replaces whatever logback has set up by itself.
   *
   * @param level a level of the configuration
   * @param format {@code logfmt} or {@code json}
   * @param environment the process' environment
   */
  public static void install(String level, String format, Map<String, String> environment) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    Encoder<ILoggingEvent> encoder =
        format.equals("json")
            ? json()
            : logfmt(context, isJournal(environment.getOrDefault("JOURNAL_STREAM", "")));
    encoder.setContext(context);
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

  private static Encoder<ILoggingEvent> logfmt(LoggerContext context, boolean journal) {
    LogfmtLayout layout = new LogfmtLayout(journal);
    layout.setContext(context);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setLayout(layout);
    return encoder;
  }

  /** What a collector needs, without what is the same in every line. */
  private static Encoder<ILoggingEvent> json() {
    JsonEncoder encoder = new JsonEncoder();
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.setWithContext(false);
    encoder.setWithMarkers(false);
    encoder.setWithMDC(false);
    encoder.setWithArguments(false);
    encoder.setWithMessage(false);
    encoder.setWithFormattedMessage(true);
    return encoder;
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
