package io.sluice.migrate.qmp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.StringWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** JSON of the monitor protocol, one object a line, with limits on everything a peer chooses. */
final class JsonText {
  /** Longest line that is received; the reply to {@code human-monitor-command} is the longest. */
  static final int MAX_LINE_BYTES = 1 << 20;

  private static final int MAX_DEPTH = 32;
  private static final int MAX_TOKENS = 1 << 16;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxDocumentLength(MAX_LINE_BYTES)
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(MAX_LINE_BYTES)
                  .maxNameLength(256)
                  .maxNumberLength(32)
                  .maxTokenCount(MAX_TOKENS)
                  .build())
          .build();

  private JsonText() {}

  /** The object that a line is; empty when it is none, or more than one. */
  static Optional<JsonObject> parse(byte[] line, int length) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line, 0, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      JsonObject object = object(parser);
      return parser.nextToken() == null ? Optional.of(object) : Optional.empty();
    } catch (JacksonException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static JsonObject object(JsonParser parser) {
    ImmutableMap.Builder<String, Object> members = ImmutableMap.builder();
    Set<String> names = new HashSet<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      if (!names.add(name)) {
        throw new IllegalArgumentException("a member twice");
      }
      parser.nextToken();
      Object value = value(parser);
      if (value != null) {
        members.put(name, value);
      }
    }
    return new JsonObject(members.buildOrThrow());
  }

  private static ImmutableList<Object> list(JsonParser parser) {
    ImmutableList.Builder<Object> values = ImmutableList.builder();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      Object value = value(parser);
      if (value != null) {
        values.add(value);
      }
    }
    return values.build();
  }

  /** The value at the parser; null for null. The parser limits how deep this goes. */
  private static @Nullable Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> list(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser);
      default -> throw new IllegalArgumentException("no value");
    };
  }

  private static Object number(JsonParser parser) {
    double value = parser.getDoubleValue();
    boolean whole =
        parser.currentToken() == JsonToken.VALUE_NUMBER_INT
            && value >= Long.MIN_VALUE
            && value < 0x1p63;
    if (whole) {
      return parser.getLongValue(); // no ?:, which would make a double of it
    }
    return value;
  }

  /**
   * An object as a line, without its end.
   *
   * @param members values are String, Long, Integer, Boolean, a map or a list of these
   */
  static String write(Map<String, ?> members) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      write(json, members);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, Object value) {
    switch (value) {
      case String text -> json.writeString(text);
      case Integer number -> json.writeNumber(number);
      case Long number -> json.writeNumber(number);
      case Boolean flag -> json.writeBoolean(flag);
      case Map<?, ?> members -> {
        json.writeStartObject();
        for (Map.Entry<?, ?> member : members.entrySet()) {
          json.writeName((String) member.getKey());
          write(json, member.getValue());
        }
        json.writeEndObject();
      }
      case List<?> values -> {
        json.writeStartArray();
        for (Object one : values) {
          write(json, one);
        }
        json.writeEndArray();
      }
      default -> throw new IllegalArgumentException("no JSON value: " + value.getClass());
    }
  }
}
