package io.sluice.daemon.config;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.management.Quantities;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The type of the values that a key takes.
 *
 * @param expects what a valid value is, for messages and documents
 * @param parse the value of a text; empty when it is not one
 * @param <T> what it is read into
 */
record ValueType<T>(String expects, Function<String, Optional<T>> parse) {
  /** Guests, GPUs and sockets are named by these; the length keeps a socket's path short. */
  static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  static final ValueType<Path> PATH =
      new ValueType<>(
          "an absolute path",
          text ->
              text.startsWith("/") && text.indexOf('\0') < 0
                  ? Optional.of(Path.of(text).normalize())
                  : Optional.empty());

  /** Several, as a search path is written. */
  static final ValueType<ImmutableList<Path>> PATHS =
      new ValueType<>(
          "absolute paths with : between them",
          text -> {
            ImmutableList.Builder<Path> paths = ImmutableList.builder();
            for (String each : Splitter.on(':').split(text)) {
              Optional<Path> path = PATH.parse().apply(each);
              if (path.isEmpty()) {
                return Optional.empty();
              }
              paths.add(path.get());
            }
            return Optional.of(paths.build());
          });

  /** Names of hosts as certificates have them: DNS names, or addresses. */
  static final ValueType<ImmutableSet<String>> HOSTS =
      new ValueType<>(
          "names or addresses of hosts with commas between them",
          text -> {
            List<String> hosts = Splitter.on(',').trimResults().splitToList(text);
            return hosts.stream().allMatch(host -> Pattern.matches("[A-Za-z0-9.:_-]{1,160}", host))
                ? Optional.of(ImmutableSet.copyOf(hosts))
                : Optional.empty();
          });

  static final ValueType<Boolean> FLAG =
      new ValueType<>("true or false", text -> matching("true|false", text).map(Boolean::valueOf));

  /** Nothing is looked up: an address, or a name that is left as it is until it is used. */
  static final ValueType<InetSocketAddress> ADDRESS =
      new ValueType<>("an address and a port, such as 0.0.0.0:7443", ValueType::address);

  static final ValueType<String> GROUP =
      new ValueType<>("the name of a group", text -> matching("[a-z_][a-z0-9_.-]{0,31}", text));

  static final ValueType<String> GUEST_NAME =
      new ValueType<>(
          "1 to 63 of a-z A-Z 0-9 . _ - beginning with a letter or digit",
          text -> matching(NAME.pattern(), text));

  static final ValueType<UUID> UUID_TEXT =
      new ValueType<>(
          "a UUID such as 5c1f2a0e-7b1d-4f61-9a3c-2f6d0f0e8a11",
          text ->
              matching("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text)
                  .map(UUID::fromString));

  static ValueType<String> oneOf(String... words) {
    return new ValueType<>(
        "one of " + String.join(", ", words),
        text ->
            Arrays.asList(words).contains(text.toLowerCase(Locale.ROOT))
                ? Optional.of(text.toLowerCase(Locale.ROOT))
                : Optional.empty());
  }

  /** A size between two, and a multiple of a third. */
  static ValueType<Long> size(long least, long most, long multiple) {
    return new ValueType<>(
        String.format(
            Locale.ROOT,
            "a size of %s to %s in multiples of %s, such as \"512MiB\"",
            Quantities.formatSize(least),
            Quantities.formatSize(most),
            Quantities.formatSize(multiple)),
        text ->
            Quantities.parseSize(text)
                .filter(bytes -> bytes >= least && bytes <= most && bytes % multiple == 0));
  }

  /** A whole number between two, without sign. */
  static ValueType<Integer> number(int least, int most) {
    return new ValueType<>(
        String.format(Locale.ROOT, "a whole number of %d to %d", least, most),
        text ->
            matching("[0-9]{1,9}", text)
                .map(Integer::valueOf)
                .filter(number -> number >= least && number <= most));
  }

  static ValueType<Duration> duration(Duration least, Duration most) {
    return new ValueType<>(
        String.format(
            Locale.ROOT,
            "a duration of %s to %s, such as \"100us\"",
            Quantities.formatDuration(least),
            Quantities.formatDuration(most)),
        text ->
            Quantities.parseDuration(text)
                .filter(d -> d.compareTo(least) >= 0 && d.compareTo(most) <= 0));
  }

  private static Optional<InetSocketAddress> address(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !Pattern.matches("[0-9]{1,5}", text.substring(colon + 1))) {
      return Optional.empty();
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    String host = text.substring(0, colon).replaceAll("^\\[(.*)]$", "$1");
    return port > 65535 || host.isEmpty()
        ? Optional.empty()
        : Optional.of(InetSocketAddress.createUnresolved(host, port));
  }

  private static Optional<String> matching(String pattern, String text) {
    return Pattern.matches(pattern, text) ? Optional.of(text) : Optional.empty();
  }
}
