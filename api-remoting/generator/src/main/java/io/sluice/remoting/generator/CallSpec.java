package io.sluice.remoting.generator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A specification of an API's calls, in the language that the head of a {@code .calls} file states.
 *
 * @param api its name, in lower case
 * @param number its number in a session's hello
 */
record CallSpec(String api, int number, List<KindSpec> kinds, List<Call> calls) {
  private static final Pattern API = Pattern.compile("api (\\w+) (\\d+)");
  private static final Pattern KIND = Pattern.compile("kind (\\w+) (\\d+)");
  private static final Pattern CALL = Pattern.compile("(\\d+) (\\w+)\\((.*?)\\)");

  /**
   * Reads a file.
   *
   * @throws SpecException for a line that says nothing known, or something twice
   */
  static CallSpec read(Path file) throws IOException {
    return parse(file.toString(), Files.readAllLines(file));
  }

  static CallSpec parse(String name, List<String> lines) {
    String api = "";
    int number = 0;
    List<KindSpec> kinds = new ArrayList<>();
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String[] parts = lines.get(i).split("#", 2);
      String line = parts[0].strip();
      if (line.isEmpty()) {
        continue;
      }
      SpecLine where = new SpecLine(name, i + 1, line);
      Matcher match;
      if ((match = API.matcher(line)).matches()) {
        api = match.group(1);
        number = Integer.parseInt(match.group(2));
      } else if ((match = KIND.matcher(line)).matches()) {
        kinds.add(new KindSpec(match.group(1), kinds.size() + 1, Integer.parseInt(match.group(2))));
      } else if ((match = CALL.matcher(line)).matches()) {
        calls.add(call(where, match, kinds, parts.length > 1 ? parts[1].strip() : ""));
      } else {
        throw where.error("is neither an api, a kind nor a call");
      }
    }
    CallSpec spec = new CallSpec(api, number, List.copyOf(kinds), List.copyOf(calls));
    spec.requireUnique(name);
    return spec;
  }

  private static Call call(SpecLine where, Matcher match, List<KindSpec> kinds, String comment) {
    List<Parameter> parameters = new ArrayList<>();
    if (!match.group(3).isBlank()) {
      for (String text : match.group(3).split(",")) {
        parameters.add(parameter(where, text.strip(), kinds));
      }
    }
    return new Call(
        Integer.parseInt(match.group(1)), match.group(2), List.copyOf(parameters), comment);
  }

  private static Parameter parameter(SpecLine where, String text, List<KindSpec> kinds) {
    String[] words = text.split("\\s+");
    String name = words[words.length - 1];
    if (words.length == 3 && words[0].equals("new")) {
      return new Parameter(ParameterType.NEW, kind(where, words[1], kinds), name);
    }
    if (words.length != 2) {
      throw where.error("has a parameter that is not a type and a name, parameter=" + text);
    }
    return switch (words[0]) {
      case "int" -> new Parameter(ParameterType.INT, "", name);
      case "long" -> new Parameter(ParameterType.LONG, "", name);
      case "long[]" -> new Parameter(ParameterType.LONGS, "", name);
      case "range" -> new Parameter(ParameterType.RANGE, "", name);
      case "range?" -> new Parameter(ParameterType.OPTIONAL_RANGE, "", name);
      case "room" -> new Parameter(ParameterType.ROOM, "", name);
      case "room?" -> new Parameter(ParameterType.OPTIONAL_ROOM, "", name);
      case "string" -> new Parameter(ParameterType.STRING, "", name);
      case "bytes" -> new Parameter(ParameterType.BYTES, "", name);
      default -> object(where, words[0], name, kinds);
    };
  }

  private static Parameter object(SpecLine where, String type, String name, List<KindSpec> kinds) {
    if (type.endsWith("?")) {
      String kind = kind(where, type.substring(0, type.length() - 1), kinds);
      return new Parameter(ParameterType.OPTIONAL_OBJECT, kind, name);
    }
    if (type.endsWith("[]")) {
      String kind = kind(where, type.substring(0, type.length() - 2), kinds);
      return new Parameter(ParameterType.OBJECTS, kind, name);
    }
    return new Parameter(ParameterType.OBJECT, kind(where, type, kinds), name);
  }

  private static String kind(SpecLine where, String name, List<KindSpec> kinds) {
    if (kinds.stream().noneMatch(kind -> kind.name().equals(name))) {
      throw where.error("names a kind that is not there, kind=" + name);
    }
    return name;
  }

  private void requireUnique(String file) {
    if (api.isEmpty()) {
      throw new SpecException(file + ": names no api");
    }
    Set<Object> seen = new HashSet<>();
    for (Call call : calls) {
      if (call.number() < 1 || call.number() > 0xffff || !seen.add(call.number())) {
        throw new SpecException(
            file + ": a call's number stands twice or not in 1 to 65535: " + call);
      }
      if (!seen.add(call.name())) {
        throw new SpecException(file + ": a call's name stands twice: " + call.name());
      }
    }
    for (KindSpec kind : kinds) {
      if (kind.most() < 1 || kind.most() > 0xffff || !seen.add("kind " + kind.name())) {
        throw new SpecException(file + ": a kind stands twice or has not 1 to 65535: " + kind);
      }
    }
  }
}
