package io.sluice.abi;

import java.util.regex.Pattern;

/**
 * The line of an error in docs/errors.md, which {@code sluicectl explain} prints.
 *
 * @param code stable code, {@code SLU-<area>-<three digits>}
 * @param meaning one sentence: what did not happen
 * @param cause one sentence: why it usually does not
 * @param remedy one sentence: what to do about it
 */
public record ErrorText(String code, String meaning, String cause, String remedy) {
  private static final Pattern CODE = Pattern.compile("SLU-[A-Z]+-\\d{3}");

  /** A line without gaps. */
  public ErrorText {
    if (!CODE.matcher(code).matches() || meaning.isEmpty() || cause.isEmpty() || remedy.isEmpty()) {
      throw new IllegalArgumentException("no line of an error, code=" + code);
    }
  }
}
