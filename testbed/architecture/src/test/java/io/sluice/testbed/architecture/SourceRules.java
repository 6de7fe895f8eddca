package io.sluice.testbed.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules that need a source's text or its place, not its classes. */
final class SourceRules {
  /** Most files of a package: a newcomer takes in no more. */
  static final int MAX_FILES = 40;

  private static final Pattern COMMENT = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
  private static final Pattern ANNOTATION = Pattern.compile("\\s*@(?!interface\\b)[\\w.]+");
  private static final Pattern DECLARED =
      Pattern.compile(
          "\\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp|open)\\s+)*"
              + "(?:class|interface|record|enum|@interface|package|module)\\s+([\\w.]+)");
  private static final Pattern SLEEP =
      Pattern.compile(
          "\\bThread\\.sleep\\(|\\bTimeUnit\\.\\w+\\.sleep\\(|\\bparkNanos\\((?!\\s*this,)");
  private static final Pattern ASKS =
      Pattern.compile("[\\s*]*(?:What|Whether|How|Who|Whose|Whoever)\\b.*", Pattern.DOTALL);

  /** Beginnings of a sentence that says what something does, or when, instead of what it is. */
  private static final Pattern DOES =
      Pattern.compile(
          "[\\s*]*(?:(?:Whom|Where|Which|Why|When|While|Among|Told|There)\\b"
              + "|[A-Z][a-z]+s\\s+(?:\\*\\s+)?(?:an?|the|its?|what|which|who|whoever|whether|each|every"
              + "|something|out)\\b).*",
          Pattern.DOTALL);

  private SourceRules() {}

  /**
   * The types, package or module of a source whose comments ask instead of naming what they are;
   * those of a source's own type must not begin with a verb either.
   */
  static List<String> commentsWithoutNoun(String source) {
    List<String> found = new ArrayList<>();
    Matcher comment = COMMENT.matcher(source);
    while (comment.find()) {
      boolean top = comment.start() == 0 || source.charAt(comment.start() - 1) == '\n';
      if (ASKS.matcher(comment.group(1)).matches()
          || top && DOES.matcher(comment.group(1)).matches()) {
        declared(source, comment.end()).ifPresent(found::add);
      }
    }
    return found;
  }

  /** Whether a source sleeps. A park with a blocker does not: whoever has work wakes it. */
  static boolean sleeps(String source) {
    return SLEEP.matcher(source).find();
  }

  /** The name of the type, package or module whose declaration begins there, if one does. */
  private static Optional<String> declared(String source, int begin) {
    int at = begin;
    Matcher annotation = ANNOTATION.matcher(source);
    while (annotation.region(at, source.length()).lookingAt()) {
      at = afterArguments(source, annotation.end());
    }
    Matcher found = DECLARED.matcher(source).region(at, source.length());
    return found.lookingAt() ? Optional.of(found.group(1)) : Optional.empty();
  }

  private static int afterArguments(String source, int begin) {
    if (begin >= source.length() || source.charAt(begin) != '(') {
      return begin;
    }
    int depth = 0;
    boolean quoted = false;
    for (int i = begin; i < source.length(); i++) {
      char c = source.charAt(i);
      if (c == '"' && source.charAt(i - 1) != '\\') {
        quoted = !quoted;
      }
      depth += quoted || c != '(' ? 0 : 1;
      depth -= quoted || c != ')' ? 0 : 1;
      if (depth == 0) {
        return i + 1;
      }
    }
    return source.length();
  }

  /** Simple names of sources that stand in more than one package, with those packages. */
  static SortedMap<String, List<String>> namesTwice(Collection<Path> sources) {
    SortedMap<String, List<String>> places = new TreeMap<>();
    for (Path source : sources) {
      places.computeIfAbsent(simpleName(source), _ -> new ArrayList<>()).add(packageOf(source));
    }
    places.values().removeIf(packages -> packages.size() < 2);
    places.remove("package-info");
    places.remove("module-info");
    return places;
  }

  /** Packages of more than {@link #MAX_FILES} sources, with their number. */
  static SortedMap<String, Integer> crowded(Collection<Path> sources) {
    SortedMap<String, Integer> files = new TreeMap<>();
    for (Path source : sources) {
      if (!simpleName(source).endsWith("-info")) {
        files.merge(packageOf(source), 1, Integer::sum);
      }
    }
    files.values().removeIf(number -> number <= MAX_FILES);
    return files;
  }

  private static String simpleName(Path source) {
    return String.valueOf(source.getFileName()).replace(".java", "");
  }

  /** The package of a source below some {@code src/main/java}. */
  static String packageOf(Path source) {
    String path = source.toString();
    int root = path.lastIndexOf("/java/io/");
    int end = path.lastIndexOf('/');
    return root < 0 || end <= root + 5 ? "" : path.substring(root + 6, end).replace('/', '.');
  }
}
