package io.sluice.sluicectl;

import io.sluice.management.MigrationCheckView;
import io.sluice.management.Problem;
import java.util.LinkedHashMap;
import java.util.Map;

/** The printed answer of {@code sluicectl migration check}. */
record CheckedMigration(MigrationCheckView found) {
  void print(Output output) {
    switch (output.format()) {
      case table -> output.text(text());
      case csv -> output.list(Views.BLOCKERS, found.blockers());
      case json ->
          output.json(json -> {
            json.writeName(Views.BLOCKERS.plural());
            json.writeStartArray();
            found.blockers().forEach(b -> Output.object(json, Views.BLOCKERS.columns(), b));
            json.writeEndArray();
            json.writeName("estimate");
            json.writeStartObject();
            known().forEach(json::writeNumberProperty);
            json.writeEndObject();
          });
    }
  }

  /** What was found out; the rest is left out. */
  private Map<String, Long> known() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("memoryBytes", found.memoryBytes());
    values.put("roundTripNs", found.roundTripNs());
    values.put("bytesPerSecond", found.bytesPerSecond());
    values.put("leastDowntimeNs", found.leastDowntimeNs());
    values.put("mostDowntimeNs", found.mostDowntimeNs());
    values.put("downtimeLimitNs", found.downtimeLimitNs());
    values.values().removeIf(value -> value == MigrationCheckView.UNKNOWN);
    return values;
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    found
        .blockers()
        .forEach(b ->
            text.append("blocked: ")
                .append(b.what())
                .append("  [")
                .append(b.code())
                .append(']')
                .append(b.remedy().isEmpty() ? "" : "\n  fix:   " + Problem.fix(b.remedy()))
                .append('\n'));
    if (found.blockers().isEmpty()) {
      text.append("nothing stands in the way\n");
    }
    if (found.leastDowntimeNs() != MigrationCheckView.UNKNOWN) {
      text.append("the way there: ")
          .append(Views.amount(found.bytesPerSecond()))
          .append("/s, round trip ")
          .append(Views.duration(found.roundTripNs()))
          .append("\nthe machine would stand still for its GPU for ")
          .append(Views.duration(found.leastDowntimeNs()))
          .append(", up to ")
          .append(Views.duration(found.mostDowntimeNs()))
          .append(" if it writes all of its video memory just before\n");
      if (found.leastDowntimeNs() > found.downtimeLimitNs()) {
        text.append("warning: that is longer than --downtime ")
            .append(Views.duration(found.downtimeLimitNs()))
            .append(" allows, and an estimate, which blocks nothing\n  fix:   ")
            .append("ask again; allow more with --downtime; or have it hold less video memory\n");
      }
    }
    return text.toString();
  }
}
