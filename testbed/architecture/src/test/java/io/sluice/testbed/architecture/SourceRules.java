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
  private static final Pattern TYPE =
      Pattern.compile(
          "\\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)\\s+)*"
              + "(?:class|interface|record|enum|@interface)\\s+(\\w+)");
  private static final Pattern ASKS =
      Pattern.compile("[\\s*]*(?:What|Whether|How|Who|Whose|Whoever)\\b.*", Pattern.DOTALL);

  private SourceRules() {}

  /** The types of a source whose comments ask instead of naming what the type is. */
  static List<String> commentsThatAsk(String source) {
    List<String> found = new ArrayList<>();
    Matcher comment = COMMENT.matcher(source);
    while (comment.find()) {
      if (ASKS.matcher(comment.group(1)).matches()) {
        declared(source, comment.end()).ifPresent(found::add);
      }
    }
    return found;
  }

  /** The name of the type whose declaration begins there, if one does. */
  private static Optional<String> declared(String source, int begin) {
    int at = begin;
    Matcher annotation = ANNOTATION.matcher(source);
    while (annotation.region(at, source.length()).lookingAt()) {
      at = afterArguments(source, annotation.end());
    }
    Matcher type = TYPE.matcher(source).region(at, source.length());
    return type.lookingAt() ? Optional.of(type.group(1)) : Optional.empty();
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
