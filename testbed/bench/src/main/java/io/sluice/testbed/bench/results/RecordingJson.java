package io.sluice.testbed.bench.results;

import java.io.StringWriter;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;

/** The JSON of a recording: a line a figure, so that two of them can be compared by diff. */
public final class RecordingJson {
  private static final long SCHEMA_VERSION = 1;

  private RecordingJson() {}

  /** The text of a file of docs/results, and of {@code bench --json}. */
  public static String write(Recording recording) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
      json.writeStringProperty("date", recording.at().toLocalDate().toString());
      json.writeStringProperty(
          "time",
          recording
              .at()
              .toLocalTime()
              .truncatedTo(ChronoUnit.SECONDS)
              .format(DateTimeFormatter.ISO_LOCAL_TIME));
      json.writeStringProperty("commit", recording.commit());
      json.writeStringProperty("machine", recording.machine());
      json.writeStringProperty("load", recording.load());
      json.writeStringProperty("command", recording.command());
      json.writeArrayPropertyStart("figures");
      for (Figure figure : recording.figures()) {
        json.writeRaw('\n');
        figure(json, figure);
      }
      json.writeRaw('\n');
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.append('\n').toString();
  }

  private static void figure(JsonGenerator json, Figure figure) {
    json.writeStartObject();
    json.writeStringProperty("bench", figure.bench());
    json.writeStringProperty("what", figure.what());
    json.writeNumberProperty("value", figure.value());
    json.writeStringProperty("unit", figure.unit());
    if (figure.relation() != Figure.Relation.NONE) {
      json.writeStringProperty("relation", figure.relation().sign());
      json.writeNumberProperty("goal", figure.goal());
      json.writeBooleanProperty("met", figure.met());
    }
    if (figure.spread().count() > 0) {
      json.writeNumberProperty("n", figure.spread().count());
    }
    if (!Double.isNaN(figure.spread().p99())) {
      json.writeNumberProperty("p99", figure.spread().p99());
    }
    json.writeEndObject();
  }

  /**
   * The recording in a file's text.
   *
   * @throws IllegalArgumentException it is not one, or of another schema version
   */
  public static Recording read(String text) {
    Map<?, ?> top = Json.object(Json.parse(text), "a recording");
    if (Json.number(top, "schemaVersion") != SCHEMA_VERSION) {
      throw new IllegalArgumentException("schemaVersion must be " + SCHEMA_VERSION);
    }
    List<Figure> figures =
        Json.array(top, "figures").stream()
            .map(each -> figure(Json.object(each, "a figure")))
            .toList();
    return new Recording(
        LocalDate.parse(Json.string(top, "date")).atTime(time(top)),
        Json.string(top, "commit"),
        Json.string(top, "machine"),
        Json.string(top, "load"),
        Json.string(top, "command"),
        figures);
  }

  /** A recording of earlier days has none: the day's beginning. */
  private static LocalTime time(Map<?, ?> top) {
    return top.containsKey("time") ? LocalTime.parse(Json.string(top, "time")) : LocalTime.MIN;
  }

  private static Figure figure(Map<?, ?> members) {
    boolean goal = members.containsKey("goal");
    return new Figure(
        Json.string(members, "bench"),
        Json.string(members, "what"),
        Json.number(members, "value"),
        Json.string(members, "unit"),
        goal ? Figure.Relation.of(Json.string(members, "relation")) : Figure.Relation.NONE,
        goal ? Json.number(members, "goal") : Double.NaN,
        new Spread((long) optional(members, "n", 0), optional(members, "p99", Double.NaN)));
  }

  private static double optional(Map<?, ?> members, String name, double without) {
    return members.containsKey(name) ? Json.number(members, name) : without;
  }
}
