package io.sluice.testbed.bench.migration;

import io.sluice.testbed.bench.results.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The figures of a daemon's report of a migration, as its JSON has them.
 *
 * @param inFlight as access was taken back
 * @param drainNs of the phase that ends as the machine stands still
 * @param idleNs of it, for which the GPU had nothing to do
 * @param settleNs of that, until the machine was allowed to stop
 * @param stoodNs for which the machine stood before its last pass over video memory
 * @param drainPages most that were sent in a pass during the drain
 * @param settledPages sent between drain and stop
 * @param redirtiedBytes of the machine's memory, that its GPU wrote
 * @param machineLeftBytes of the machine's memory, as all else was sent
 * @param pauseMs each phase in which machine or GPU stood still
 */
record MoveReport(
    String inFlight,
    long drainNs,
    long idleNs,
    long settleNs,
    long stoodNs,
    long drainPages,
    long settledPages,
    long redirtiedBytes,
    long machineLeftBytes,
    Map<String, Double> pauseMs) {
  static MoveReport of(String json) {
    Map<?, ?> report = Json.object(Json.parse(json), "a report");
    Map<?, ?> detach = part(report, "detach");
    Map<?, ?> stop = part(report, "stop");
    Map<String, Double> pause = new LinkedHashMap<>();
    long drainNs = 0;
    for (Object one : Json.array(report, "phases")) {
      Map<?, ?> phase = Json.object(one, "a phase");
      String name = Json.string(phase, "phase");
      long lengthNs = whole(phase, "lengthNs");
      if (name.equals("drain")) {
        drainNs = lengthNs;
      }
      if (Boolean.TRUE.equals(phase.get("pause"))) {
        pause.put(name, Math.round(lengthNs / 1e4) / 100.0);
      }
    }
    return new MoveReport(
        "channels=%d running=%d pendingEntries=%d"
            .formatted(
                whole(detach, "channels"),
                whole(detach, "running"),
                whole(detach, "pendingEntries")),
        drainNs,
        whole(stop, "idleNs"),
        whole(stop, "settleNs"),
        whole(stop, "stoodNs"),
        whole(stop, "drainPages"),
        whole(stop, "settledPages"),
        whole(report, "guestBytesRedirtied"),
        Math.max(0, whole(part(report, "saving"), "machineBytesLeft")),
        pause);
  }

  private static Map<?, ?> part(Map<?, ?> report, String name) {
    Object part = report.get(name);
    if (part == null) {
      throw new IllegalArgumentException("the report has no " + name);
    }
    return Json.object(part, name);
  }

  private static long whole(Map<?, ?> members, String name) {
    return (long) Json.number(members, name);
  }
}
