package io.sluice.testbed.bench;

import java.io.StringWriter;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;

/** Figures as JSON, with the machine they were measured on. */
final class FigureJson {
  private FigureJson() {}

  static String of(List<Figure> figures) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeNumberProperty("schemaVersion", 1);
      json.writeNumberProperty("processors", Runtime.getRuntime().availableProcessors());
      json.writeStringProperty("java", Runtime.version().toString());
      json.writeStringProperty("kernel", System.getProperty("os.version", ""));
      json.writeArrayPropertyStart("figures");
      for (Figure figure : figures) {
        json.writeStartObject();
        json.writeStringProperty("bench", figure.bench());
        json.writeStringProperty("what", figure.what());
        json.writeNumberProperty("value", figure.value());
        json.writeStringProperty("unit", figure.unit());
        if (figure.relation() != Figure.Relation.NONE) {
          json.writeNumberProperty("goal", figure.goal());
          json.writeBooleanProperty("met", figure.met());
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.append('\n').toString();
  }
}
