package io.sluice.remoting.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The arguments of a session host; the daemon gives them, nobody else.
 *
 * @param control where the daemon waits for it
 * @param cache the one directory it may write to
 * @param memoryBytes most private memory of its process
 * @param sandboxRequired whether it ends where it cannot confine itself
 * @param devices device files it may use
 * @param implementation the directory of the OpenCL that it uses; empty for the host's own
 * @param options of the Java that serves
 */
public record HostArguments(
    Path control,
    Path cache,
    long memoryBytes,
    boolean sandboxRequired,
    List<Path> devices,
    Optional<Path> implementation,
    List<String> options) {
  private static final String CONTROL = "--control=";
  private static final String CACHE = "--cache=";
  private static final String MEMORY = "--memory=";
  private static final String SANDBOX = "--sandbox=";
  private static final String DEVICE = "--device=";
  private static final String IMPLEMENTATION = "--implementation=";
  private static final String OPTION = "--java-option=";
  private static final String REQUIRED = "required";
  private static final String BEST_EFFORT = "best-effort";

  /** Most devices, and most options. */
  private static final int MAX_REPEATED = 64;

  /** Keeps the lists as they are now. */
  public HostArguments {
    devices = List.copyOf(devices);
    options = List.copyOf(options);
  }

  /**
   * @throws IllegalArgumentException when they are not of this form
   */
  static HostArguments parse(List<String> words) {
    String sandbox = one(words, SANDBOX, Function.identity());
    if (!sandbox.equals(REQUIRED) && !sandbox.equals(BEST_EFFORT)) {
      throw new IllegalArgumentException("no kind of sandbox, sandbox=" + sandbox);
    }
    List<Path> devices = all(words, DEVICE).stream().map(Path::of).toList();
    List<Path> implementations = all(words, IMPLEMENTATION).stream().map(Path::of).toList();
    List<String> options = all(words, OPTION);
    if (words.size() != 4 + devices.size() + implementations.size() + options.size()
        || implementations.size() > 1
        || devices.size() > MAX_REPEATED
        || options.size() > MAX_REPEATED) {
      throw new IllegalArgumentException("arguments nobody knows, arguments=" + words);
    }
    return new HostArguments(
        one(words, CONTROL, Path::of),
        one(words, CACHE, Path::of),
        one(words, MEMORY, Long::parseLong),
        sandbox.equals(REQUIRED),
        devices,
        implementations.stream().findFirst(),
        options);
  }

  private static <T> T one(List<String> words, String name, Function<String, T> of) {
    List<String> values = all(words, name);
    if (values.size() != 1 || values.get(0).isEmpty()) {
      throw new IllegalArgumentException("an argument is missing or given twice, name=" + name);
    }
    return of.apply(values.get(0));
  }

  private static List<String> all(List<String> words, String name) {
    return words.stream()
        .filter(word -> word.startsWith(name))
        .map(word -> word.substring(name.length()))
        .toList();
  }
}
