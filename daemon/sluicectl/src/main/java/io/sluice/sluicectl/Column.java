package io.sluice.sluicectl;

import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One thing to be shown of a row. What people read and what programs read differ: {@code 1.2/2.0
 * GiB} is two numbers of bytes to a program.
 *
 * @param id kebab-case, what {@code --columns} takes; JSON and CSV have it in camel case
 * @param text for people; null when the raw value will do
 * @param raw a string, number or boolean for programs; null when the column is for people only
 * @param shown whether it is in the table unless chosen otherwise
 * @param <T> the row
 */
record Column<T>(
    String id,
    @Nullable Function<T, String> text,
    @Nullable Function<T, Object> raw,
    boolean shown) {

  /** The same for people and programs. */
  static <T> Column<T> both(String id, Function<T, Object> raw) {
    return new Column<>(id, null, raw, true);
  }

  /** For people. */
  static <T> Column<T> people(String id, Function<T, String> text) {
    return new Column<>(id, text, null, true);
  }

  /** For programs, and for people who ask for it. */
  static <T> Column<T> programs(String id, Function<T, Object> raw) {
    return new Column<>(id, null, raw, false);
  }

  String heading() {
    return id.toUpperCase(Locale.ROOT).replace('-', ' ');
  }

  /** The name in JSON and CSV. */
  String field() {
    StringBuilder name = new StringBuilder();
    boolean upper = false;
    for (char c : id.toCharArray()) {
      if (c == '-') {
        upper = true;
      } else {
        name.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    return name.toString();
  }

  String display(T row) {
    if (text != null) {
      return text.apply(row);
    }
    return raw == null ? "" : String.valueOf(raw.apply(row));
  }
}
