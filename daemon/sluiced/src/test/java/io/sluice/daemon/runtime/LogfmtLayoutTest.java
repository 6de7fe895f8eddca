package io.sluice.daemon.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

final class LogfmtLayoutTest {
  private final Logger logger = new LoggerContext().getLogger("io.sluice.daemon.Example");

  @Test
  void doLayout_textThatEndsALine_staysOnOneLine() {
    String line =
        format(
            false,
            Level.INFO,
            "first\nlevel=error",
            null,
            new KeyValuePair("guest", "a\" msg=\"forged\r\n\u0007"));

    assertThat(line)
        .isEqualTo(
            "time=2026-01-02T03:04:05Z level=info logger=daemon.Example"
                + " msg=\"first\\nlevel=error\" guest=\"a\\\" msg=\\\"forged\\r\\n\\u0007\"\n");
  }

  @Test
  void doLayout_plainValues_areBare() {
    assertThat(format(false, Level.WARN, "mapped", null, new KeyValuePair("iova", "0x1000")))
        .isEqualTo(
            "time=2026-01-02T03:04:05Z level=warn logger=daemon.Example msg=mapped iova=0x1000\n");
  }

  @Test
  void doLayout_journal_hasPriorityAndNoTime() {
    assertThat(format(true, Level.ERROR, "x", null)).startsWith("<3>level=error ");
    assertThat(format(true, Level.WARN, "x", null)).startsWith("<4>level=warn ");
    assertThat(format(true, Level.INFO, "x", null)).startsWith("<6>level=info ");
    assertThat(format(true, Level.TRACE, "x", null)).startsWith("<7>level=trace ");
  }

  @Test
  void doLayout_error_hasItsStackOnTheSameLine() {
    String line = format(false, Level.ERROR, "x", new IllegalStateException("why"));

    assertThat(line)
        .contains(" error=\"java.lang.IllegalStateException: why\" stack=\"java.lang.Illegal")
        .containsOnlyOnce("\n")
        .endsWith("\n");
  }

  @Test
  void doLayout_warning_hasTheErrorOnly() {
    assertThat(format(false, Level.WARN, "x", new IllegalStateException("why")))
        .contains(" error=")
        .doesNotContain("stack=");
  }

  private String format(
      boolean journal,
      Level level,
      String message,
      @Nullable Throwable thrown,
      KeyValuePair... pairs) {
    LoggingEvent event =
        new LoggingEvent(
            LogfmtLayoutTest.class.getName(), logger, level, message, thrown, new Object[0]);
    event.setInstant(Instant.parse("2026-01-02T03:04:05Z"));
    event.setKeyValuePairs(List.of(pairs));
    return new LogfmtLayout(journal).doLayout(event);
  }
}
