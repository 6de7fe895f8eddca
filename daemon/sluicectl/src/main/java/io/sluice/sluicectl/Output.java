package io.sluice.sluicectl;

import io.sluice.management.PlainText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/**
 * The output of rows as the operator asked for them. On a terminal, tables end where it does,
 * unless their columns were chosen.
 *
 * @param line where to print
 * @param format how
 * @param columns ids of the columns to show; empty for the usual ones
 * @param header whether tables and CSV begin with the names of the columns
 * @param width columns of the terminal that is printed to; {@link #UNLIMITED} where it is none
 */
record Output(CommandLine line, Format format, List<String> columns, boolean header, int width) {
  /** Of what is no terminal: a program that reads it gets all of it. */
  static final int UNLIMITED = Integer.MAX_VALUE;

  /** Version of all JSON of this program; a reader refuses one it does not know. */
  static final int SCHEMA_VERSION = 1;

  private static final int GAP = 2;

  /** The end of a line that is cut; in ASCII, as not every terminal shows more. */
  private static final String CUT = "...";

  /** Prints rows in the format asked for. */
  <T> void list(Listing<T> listing, List<T> rows) {
    List<Column<T>> chosen = listing.choose(this);
    switch (format) {
      case table -> table(chosen, rows);
      case csv -> csv(chosen, rows);
      case json ->
          json(json -> {
            json.writeName(listing.plural());
            json.writeStartArray();
            rows.forEach(row -> object(json, chosen, row));
            json.writeEndArray();
          });
    }
  }

  /** Prints a text as it is. */
  void text(String text) {
    out().print(text);
    out().flush();
  }

  /** Prints {@code name value} lines. */
  void facts(List<Fact> facts) {
    int width = facts.stream().mapToInt(f -> f.name().length()).max().orElse(0) + GAP;
    StringBuilder text = new StringBuilder();
    for (Fact fact : facts) {
      text.append(pad(fact.name(), width)).append(PlainText.of(fact.value())).append('\n');
    }
    text(text.toString());
  }

  /**
   * Something to say about one thing.
   *
   * @param name what
   * @param value as people read it
   */
  record Fact(String name, String value) {}

  /** Prints rows as a table, whatever the format asked for. */
  <T> void table(List<Column<T>> chosen, List<T> rows) {
    table(chosen, rows, "", columns.isEmpty() ? width : UNLIMITED);
  }

  /**
   * @param lineEnd printed behind each line
   * @param most characters of a line
   */
  <T> void table(List<Column<T>> chosen, List<T> rows, String lineEnd, int most) {
    List<List<String>> lines = new ArrayList<>();
    if (header) {
      lines.add(chosen.stream().map(Column::heading).toList());
    }
    rows.forEach(row -> lines.add(chosen.stream().map(c -> orDash(c.display(row))).toList()));
    int[] widths = new int[chosen.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder printed = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        printed.append(pad(line.get(i), widths[i] + GAP));
      }
      text.append(cut(printed.toString().stripTrailing(), most)).append(lineEnd).append('\n');
    }
    text(text.toString());
  }

  /** The first of the columns, as many as fit into a line of a terminal; at least one. */
  <T> List<Column<T>> fitting(List<Column<T>> chosen, List<T> rows, int width) {
    int left = width;
    List<Column<T>> fitting = new ArrayList<>();
    for (Column<T> column : chosen) {
      int needed = header ? column.heading().length() : 0;
      for (T row : rows) {
        needed = Math.max(needed, orDash(column.display(row)).length());
      }
      left -= fitting.isEmpty() ? needed : needed + GAP;
      if (left < 0 && !fitting.isEmpty()) {
        break;
      }
      fitting.add(column);
    }
    return fitting;
  }

  private <T> void csv(List<Column<T>> chosen, List<T> rows) {
    StringBuilder text = new StringBuilder();
    if (header) {
      text.append(String.join(",", chosen.stream().map(Column::field).toList())).append("\n");
    }
    for (T row : rows) {
      List<String> values = new ArrayList<>();
      for (Column<T> column : chosen) {
        values.add(quoted(flat(raw(column, row))));
      }
      text.append(String.join(",", values)).append("\n");
    }
    text(text.toString());
  }

  private static String flat(@Nullable Object value) {
    return PlainText.of(
        value instanceof List<?> list
            ? String.join(" ", list.stream().map(String::valueOf).toList())
            : String.valueOf(value));
  }

  /**
   * Quotes as RFC 4180 does. A value that a spreadsheet would take for a formula is quoted too;
   * names of guests cannot begin like one.
   */
  private static String quoted(String value) {
    return value.matches("[^,\"\n]*") ? value : "\"" + value.replace("\"", "\"\"") + "\"";
  }

  /** Prints a JSON object that begins with the schema's version. */
  void json(Consumer<JsonGenerator> body) {
    json(pretty(), body);
  }

  /** The same on one line, for streams. */
  void jsonLine(Consumer<JsonGenerator> body) {
    json(ObjectWriteContext.empty(), body);
  }

  private void json(ObjectWriteContext layout, Consumer<JsonGenerator> body) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonFactory.builder().build().createGenerator(layout, text)) {
      json.writeStartObject();
      json.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
      body.accept(json);
      json.writeEndObject();
    }
    text(text.append('\n').toString());
  }

  /** Writes one row as an object. */
  static <T> void object(JsonGenerator json, List<Column<T>> columns, T row) {
    json.writeStartObject();
    fields(json, columns, row);
    json.writeEndObject();
  }

  /** Writes one row into an object that was begun. */
  static <T> void fields(JsonGenerator json, List<Column<T>> columns, T row) {
    for (Column<T> column : columns) {
      Object value = raw(column, row);
      if (value != null) {
        json.writeName(column.field());
        value(json, value);
      }
    }
  }

  /**
   * Writes a value: a number, a truth value, a list, a map, what JMX made of a record, or a text.
   */
  static void value(JsonGenerator json, Object value) {
    switch (value) {
      case Integer number -> json.writeNumber(number);
      case Long number -> json.writeNumber(number);
      case Double number -> json.writeNumber(number);
      case Boolean bool -> json.writeBoolean(bool);
      case List<?> list -> {
        json.writeStartArray();
        list.forEach(item -> value(json, item));
        json.writeEndArray();
      }
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.forEach((key, item) -> {
          json.writeName(key.toString());
          value(json, item);
        });
        json.writeEndObject();
      }
      case CompositeData data -> {
        json.writeStartObject();
        for (String key : data.getCompositeType().keySet()) {
          Object item = data.get(key);
          if (item != null) {
            json.writeName(key);
            value(json, item);
          }
        }
        json.writeEndObject();
      }
      default -> json.writeString(value.toString());
    }
  }

  private static <T> @Nullable Object raw(Column<T> column, T row) {
    return column.raw() == null ? null : column.raw().apply(row);
  }

  private static ObjectWriteContext pretty() {
    return new ObjectWriteContext.Base() {
      @Override
      public PrettyPrinter getPrettyPrinter() {
        return new DefaultPrettyPrinter();
      }

      @Override
      public boolean hasPrettyPrinter() {
        return true;
      }
    };
  }

  private static String orDash(String text) {
    return text.isEmpty() ? "-" : PlainText.of(text);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String cut(String text, int most) {
    return text.length() <= most
        ? text
        : text.substring(0, Math.max(0, most - CUT.length())).stripTrailing() + CUT;
  }

  private PrintWriter out() {
    return line.getOut();
  }
}
