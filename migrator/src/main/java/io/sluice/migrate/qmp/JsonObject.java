package io.sluice.migrate.qmp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A JSON object that was received. Members that are missing, null or of another type than asked for
 * are empty: what a monitor adds in a later version must not break anything.
 */
public final class JsonObject {
  /** Without members. */
  public static final JsonObject EMPTY = new JsonObject(ImmutableMap.of());

  private final ImmutableMap<String, Object> members;

  /**
   * @param members values are String, Long, Double, Boolean, JsonObject or a list of these
   */
  JsonObject(ImmutableMap<String, Object> members) {
    this.members = members;
  }

  /** Whether there is such a member. */
  public boolean has(String name) {
    return members.containsKey(name);
  }

  /** A text. */
  public Optional<String> text(String name) {
    return members.get(name) instanceof String text ? Optional.of(text) : Optional.empty();
  }

  /** A whole number. */
  public OptionalLong number(String name) {
    return members.get(name) instanceof Long number
        ? OptionalLong.of(number)
        : OptionalLong.empty();
  }

  /** An object. */
  public Optional<JsonObject> object(String name) {
    return members.get(name) instanceof JsonObject object ? Optional.of(object) : Optional.empty();
  }

  /** The objects of a list. */
  public ImmutableList<JsonObject> objects(String name) {
    ImmutableList.Builder<JsonObject> found = ImmutableList.builder();
    if (members.get(name) instanceof ImmutableList<?> list) {
      for (Object one : list) {
        if (one instanceof JsonObject object) {
          found.add(object);
        }
      }
    }
    return found.build();
  }

  /** The texts of a list. */
  public ImmutableList<String> texts(String name) {
    ImmutableList.Builder<String> found = ImmutableList.builder();
    if (members.get(name) instanceof ImmutableList<?> list) {
      for (Object one : list) {
        if (one instanceof String text) {
          found.add(text);
        }
      }
    }
    return found.build();
  }

  @Override
  public String toString() {
    return members.toString();
  }
}
