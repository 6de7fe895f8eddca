package io.sluice.remoting.generator;

import io.sluice.remoting.generator.LibraryFunction.Argument;
import io.sluice.remoting.generator.LibraryFunction.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The functions of a library, in the language that the head of a {@code .functions} file states.
 *
 * @param library its name without {@code lib} and {@code .so}
 */
record FunctionSpec(String library, List<LibraryFunction> functions) {
  private static final Pattern LIBRARY = Pattern.compile("library (\\w+)");
  private static final Pattern FUNCTION =
      Pattern.compile("(int|long|handle|ptr) (\\w+)(\\??)\\((.*)\\)");

  static FunctionSpec read(Path file) throws IOException {
    return parse(file.toString(), Files.readAllLines(file));
  }

  static FunctionSpec parse(String name, List<String> lines) {
    String library = "";
    List<LibraryFunction> functions = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).split("#", 2)[0].strip();
      if (line.isEmpty()) {
        continue;
      }
      SpecLine where = new SpecLine(name, i + 1, line);
      Matcher match;
      if ((match = LIBRARY.matcher(line)).matches()) {
        library = match.group(1);
      } else if ((match = FUNCTION.matcher(line)).matches()) {
        functions.add(
            new LibraryFunction(
                size(where, match.group(1)),
                match.group(2),
                !match.group(3).isEmpty(),
                arguments(where, match.group(4))));
      } else {
        throw where.error("is neither a library nor a function");
      }
    }
    if (library.isEmpty()) {
      throw new SpecException(name + ": names no library");
    }
    return new FunctionSpec(library, List.copyOf(functions));
  }

  private static List<Argument> arguments(SpecLine where, String text) {
    List<Argument> arguments = new ArrayList<>();
    for (String argument : text.isBlank() ? new String[0] : text.split(",")) {
      String[] words = argument.strip().split("\\s+");
      if (words.length != 2) {
        throw where.error("has an argument that is not a size and a name, argument=" + argument);
      }
      arguments.add(new Argument(size(where, words[0]), words[1]));
    }
    return List.copyOf(arguments);
  }

  private static Size size(SpecLine where, String word) {
    return switch (word) {
      case "int", "long", "handle", "ptr" -> Size.valueOf(word.toUpperCase(Locale.ROOT));
      default -> throw where.error("has a size that is not known, size=" + word);
    };
  }
}
