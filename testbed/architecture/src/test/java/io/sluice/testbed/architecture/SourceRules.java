package io.sluice.testbed.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
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
  private static final Pattern ANY_COMMENT =
      Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
  private static final Pattern CONSTANT =
      Pattern.compile("(?m)^  (?:public |private )?static final [^=;(]*\\b([A-Z][A-Z0-9_]*)\\s*=");
  private static final Pattern NAMED =
      Pattern.compile("\\b([A-Z]\\w*)\\s*\\.\\s*([A-Z][A-Z0-9_]*\\b|\\*;)");
  private static final Pattern TYPE_NAME = Pattern.compile("\\b[A-Z]\\w*");
  private static final Pattern NUMBER_AS_BITS =
      Pattern.compile(
          "\\b[A-Z]\\w*\\.(?:\\w+_)?(?:COUNT|SIZE|SIZE_FIELD|BYTES|ARGSZ|ORDER|WORDS|PAGES|START|VERSION"
              + "|NUM_[A-Z]+)\\.bits\\(");
  private static final Pattern ASKS =
      Pattern.compile("[\\s*]*(?:What|Whether|How|Who|Whose|Whoever)\\b.*", Pattern.DOTALL);

  /** Beginnings of a sentence that does not name it, or says what it does, or when. */
  private static final Pattern DOES =
      Pattern.compile(
          "[\\s*]*(?:(?:Whom|Where|Which|Why|When|While|Among|Told|There|Something|Somebody)\\b"
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

  /**
   * Constants of some sources that nobody names: no other line of theirs, and no other source by
   * {@code Class.NAME} or a static import. {@code LAYOUT} is read by reflection.
   *
   * @param sources all that may name one
   */
  static List<String> unusedConstants(Collection<Source> sources) {
    Set<String> named = new HashSet<>();
    for (Source source : sources) {
      Matcher use = NAMED.matcher(source.text());
      while (use.find()) {
        named.add(use.group(1) + "." + use.group(2));
      }
    }
    List<String> found = new ArrayList<>();
    for (Source source : sources) {
      Matcher declared = CONSTANT.matcher(source.isChecked() ? source.text() : "");
      while (declared.find()) {
        String constant = declared.group(1);
        boolean within =
            Pattern.compile("\\b" + constant + "\\b").matcher(source.text()).results().count() > 1;
        if (!within
            && !constant.equals("LAYOUT")
            && !named.contains(source.name() + "." + constant)
            && !named.contains(source.name() + ".*;")) {
          found.add(source.name() + "." + constant);
        }
      }
    }
    return found;
  }

  /** Types of the checked sources that no other checked source names; programs are started. */
  static List<String> typesWithoutUser(Collection<Source> sources) {
    List<Source> checked = sources.stream().filter(Source::isChecked).toList();
    Map<String, Integer> users = new HashMap<>();
    for (Source source : checked) {
      Set<String> words = new HashSet<>();
      Matcher word = TYPE_NAME.matcher(source.text());
      while (word.find()) {
        words.add(word.group());
      }
      words.forEach(name -> users.merge(name, 1, Integer::sum));
    }
    return checked.stream()
        .filter(source -> users.getOrDefault(source.name(), 0) < 2)
        .filter(source -> !source.name().endsWith("-info") && !source.text().contains(" main("))
        .map(Source::name)
        .toList();
  }

  /** Fields that count or measure and are read as bits: above 2^31 they turn negative. */
  static List<String> numbersReadAsBits(String source) {
    return NUMBER_AS_BITS.matcher(source).results().map(MatchResult::group).toList();
  }

  /** A source without its comments. */
  record Source(String name, String text, boolean isChecked) {
    static Source of(Path file, String text, boolean isChecked) {
      return new Source(simpleName(file), ANY_COMMENT.matcher(text).replaceAll(""), isChecked);
    }
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
