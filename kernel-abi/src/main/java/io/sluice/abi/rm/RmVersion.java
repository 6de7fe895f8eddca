package io.sluice.abi.rm;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of NVIDIA's driver, as CHECK_VERSION_STR answers it: {@code 580.159.04}.
 *
 * @param major the series
 * @param minor the release
 * @param patch the third part, 0 when there is none, as in {@code 580.142}
 */
public record RmVersion(int major, int minor, int patch) implements Comparable<RmVersion> {
  private static final Pattern FORM =
      Pattern.compile("([0-9]{3,4})\\.([0-9]{1,4})(?:\\.([0-9]{2}))?");

  private static final Comparator<RmVersion> ORDER =
      Comparator.comparingInt(RmVersion::major)
          .thenComparingInt(RmVersion::minor)
          .thenComparingInt(RmVersion::patch);

  /** The version that a text names; empty for anything that is not one. */
  public static Optional<RmVersion> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String patch = matcher.group(3);
    return Optional.of(
        new RmVersion(
            Integer.parseInt(matcher.group(1)),
            Integer.parseInt(matcher.group(2)),
            patch == null ? 0 : Integer.parseInt(patch)));
  }

  @Override
  public int compareTo(RmVersion other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    String release = major + "." + minor;
    return patch == 0 ? release : release + (patch < 10 ? ".0" : ".") + patch;
  }
}
