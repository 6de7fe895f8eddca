package io.sluice.testbed.bench.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A small tree of JSON: maps, lists, strings, doubles, truth values. For what this repository
 * writes itself.
 */
public final class Json {
  private Json() {}

  /** The tree of a text. */
  public static Object parse(String text) {
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
      return value(parser, parser.nextToken());
    }
  }

  private static Object value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          members.put(name, value(parser, parser.nextToken()));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (JsonToken next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          elements.add(value(parser, next));
        }
        yield elements;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> throw new IllegalArgumentException("unexpected in JSON: token=" + token);
    };
  }

  /** A value that is to be an object. */
  public static Map<?, ?> object(Object value, String what) {
    if (value instanceof Map<?, ?> members) {
      return members;
    }
    throw new IllegalArgumentException(what + " must be an object");
  }

  /** A member that is to be an array. */
  public static List<?> array(Map<?, ?> members, String name) {
    if (members.get(name) instanceof List<?> elements) {
      return elements;
    }
    throw new IllegalArgumentException("must be an array, name=" + name);
  }

  /** A member that is to be a string. */
  public static String string(Map<?, ?> members, String name) {
    if (members.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("must be a string, name=" + name);
  }

  /** A member that is to be a number. */
  public static double number(Map<?, ?> members, String name) {
    if (members.get(name) instanceof Double number) {
      return number;
    }
    throw new IllegalArgumentException("must be a number, name=" + name);
  }
}
