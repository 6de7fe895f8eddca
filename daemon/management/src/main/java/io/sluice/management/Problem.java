package io.sluice.management;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * An error as an operator reads it: what did not happen, why, what to do about it, and a stable
 * code. It crosses JMX as the message of an {@link OperationsException}, so that a client needs no
 * class of ours to show it.
 *
 * @param code {@code SLU-<area>-<three digits>}
 * @param what one line
 * @param cause one line; empty when {@code what} says it
 * @param fix one line; empty when nothing can be done
 */
public record Problem(String code, String what, String cause, String fix) {
  private static final int LINE_WIDTH = 110;
  private static final Pattern TEXT =
      Pattern.compile(
          "(?<what>[^\n]*) \\[(?<code>SLU-[A-Z]+-\\d{3})]"
              + "(\ncause: (?<cause>[^\n]*))?(\nfix: (?<fix>[^\n]*))?");

  /** The parts, each made one line. */
  public Problem {
    what = oneLine(what);
    cause = oneLine(cause);
    fix = fix(fix);
  }

  /**
   * A remedy in the one form that all of them have behind {@code fix:}, wherever it was written:
   * without a capital and a full stop around it.
   */
  public static String fix(String remedy) {
    String text = oneLine(remedy);
    if (text.endsWith(".") && !text.endsWith("..")) {
      text = text.substring(0, text.length() - 1);
    }
    boolean isWord = text.length() > 1 && !Character.isUpperCase(text.charAt(1));
    return isWord ? Character.toLowerCase(text.charAt(0)) + text.substring(1) : text;
  }

  /** A problem with one of our codes. */
  public static Problem of(ErrorCode code, String what, String cause, String fix) {
    return new Problem(code.code(), what, cause, fix);
  }

  /** As the message of an exception: {@code what [code]}, then {@code cause:} and {@code fix:}. */
  public String text() {
    StringBuilder text = new StringBuilder(what).append(" [").append(code).append(']');
    if (!cause.isEmpty()) {
      text.append("\ncause: ").append(cause);
    }
    if (!fix.isEmpty()) {
      text.append("\nfix: ").append(fix);
    }
    return text.toString();
  }

  /**
   * As a program prints it: what went wrong with the code at the right, then cause and fix.
   *
   * <pre>
   * error: no guest "web-1"                                                          [SLU-GUEST-001]
   *   cause: …
   *   fix:   …
   * </pre>
   */
  public String render() {
    String tag = "[" + code + "]";
    String line = "error: " + what;
    int gap = Math.max(2, LINE_WIDTH - line.length() - tag.length());
    StringBuilder text = new StringBuilder(line).append(" ".repeat(gap)).append(tag).append('\n');
    if (!cause.isEmpty()) {
      text.append("  cause: ").append(cause).append('\n');
    }
    if (!fix.isEmpty()) {
      text.append("  fix:   ").append(fix).append('\n');
    }
    return text.toString();
  }

  /** What {@link #text} was made of; empty for any other text, or none. */
  public static Optional<Problem> parse(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    Matcher m = TEXT.matcher(text);
    if (!m.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            m.group("code"), m.group("what"), orEmpty(m.group("cause")), orEmpty(m.group("fix"))));
  }

  /** As the exception that an operation of an MXBean throws. */
  public OperationsException exception() {
    return new OperationsException(text());
  }

  /** What can be done about it. */
  public ErrorKind kind() {
    return ErrorCode.kindOf(code);
  }

  private static String orEmpty(@Nullable String group) {
    return group == null ? "" : group;
  }

  private static String oneLine(String text) {
    return PlainText.of(text);
  }
}
