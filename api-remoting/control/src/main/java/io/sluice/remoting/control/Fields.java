package io.sluice.remoting.control;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * The fields of a JSON object from the other end. Each is taken once, within its bounds; one that
 * nobody takes, is missing or is something else than it should be makes the object invalid.
 */
final class Fields {
  /** Tokens of a session in a report: braces, eleven fields, all kinds and ties there may be. */
  private static final int SESSION_TOKENS =
      2 + 11 * 2 + 2 + 2 * (ControlCodec.MAX_KINDS + ControlCodec.MAX_TIES);

  /** Tokens of a report of as many sessions as there may be; all else that is said has fewer. */
  static final int MAX_TOKENS = 16 + SessionLimits.MAX_SESSIONS * SESSION_TOKENS;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(4)
                  .maxNameLength(64)
                  .maxStringLength(4096)
                  .maxNumberLength(20)
                  .maxTokenCount(MAX_TOKENS)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final Map<String, Object> values;

  private Fields(Map<String, Object> values) {
    this.values = values;
  }

  /** The object that a line is, and nothing else. */
  static Fields parse(String line) throws LinkException {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new LinkException("a line is no object");
      }
      Fields fields = new Fields(object(parser));
      if (parser.nextToken() != null) {
        throw new LinkException("a line has more than an object");
      }
      return fields;
    } catch (JacksonException e) {
      throw new LinkException("a line is not JSON, reason=" + e.getOriginalMessage());
    }
  }

  private static Map<String, Object> object(JsonParser parser) throws LinkException {
    Map<String, Object> values = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      values.put(name, value(parser));
    }
    return values;
  }

  private static Object value(JsonParser parser) throws LinkException {
    return switch (parser.currentToken()) {
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case START_OBJECT -> object(parser);
      case START_ARRAY -> {
        List<Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(parser));
        }
        yield elements;
      }
      default -> throw new LinkException("a value of no use, token=" + parser.currentToken());
    };
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  /** A text of at most so many characters, without any that control a terminal. */
  String text(String name, int most) throws LinkException {
    return plain(name, values.remove(name), most);
  }

  /** Texts as {@link #text} has them. */
  List<String> texts(String name, int most, int mostCharacters) throws LinkException {
    if (!(values.remove(name) instanceof List<?> list) || list.size() > most) {
      throw invalid(name);
    }
    List<String> texts = new ArrayList<>();
    for (Object element : list) {
      texts.add(plain(name, element, mostCharacters));
    }
    return texts;
  }

  private static String plain(String name, @Nullable Object value, int most) throws LinkException {
    if (value instanceof String text
        && text.length() <= most
        && text.codePoints().noneMatch(Character::isISOControl)) {
      return text;
    }
    throw invalid(name);
  }

  long whole(String name, long least, long most) throws LinkException {
    if (values.remove(name) instanceof Long number && number >= least && number <= most) {
      return number;
    }
    throw invalid(name);
  }

  /** An object of numbers that are not negative. */
  Map<String, Long> counts(String name, int most) throws LinkException {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map(name, most).entrySet()) {
      if (!(entry.getValue() instanceof Long count) || count < 0) {
        throw invalid(name);
      }
      counts.put(key(name, entry.getKey()), count);
    }
    return counts;
  }

  /** An object of texts, each as {@link #text} has it. */
  Map<String, String> words(String name, int most, int mostCharacters) throws LinkException {
    Map<String, String> words = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map(name, most).entrySet()) {
      words.put(key(name, entry.getKey()), plain(name, entry.getValue(), mostCharacters));
    }
    return words;
  }

  private Map<?, ?> map(String name, int most) throws LinkException {
    if (values.remove(name) instanceof Map<?, ?> map && map.size() <= most) {
      return map;
    }
    throw invalid(name);
  }

  private static String key(String name, @Nullable Object value) throws LinkException {
    if (value instanceof String key && key.matches("[a-z][a-z-]{0,31}")) {
      return key;
    }
    throw invalid(name);
  }

  List<Fields> objects(String name, int most) throws LinkException {
    if (!(values.remove(name) instanceof List<?> list) || list.size() > most) {
      throw invalid(name);
    }
    List<Fields> objects = new ArrayList<>();
    for (Object element : list) {
      if (!(element instanceof Map<?, ?> map)) {
        throw invalid(name);
      }
      Map<String, Object> fields = new LinkedHashMap<>();
      map.forEach((key, value) -> fields.put((String) key, value));
      objects.add(new Fields(fields));
    }
    return objects;
  }

  /** Nothing is left. */
  void end() throws LinkException {
    if (!values.isEmpty()) {
      throw new LinkException("a field nobody knows, name=" + values.keySet().iterator().next());
    }
  }

  private static LinkException invalid(String name) {
    return new LinkException("a field is missing or invalid, name=" + name);
  }
}
