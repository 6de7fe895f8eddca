package io.sluice.testbed.bench.results;

import java.util.List;
import java.util.Map;

/**
 * A number of the page, such as P2: an element of docs/results/benches.json.
 *
 * @param id the number
 * @param measures what is measured, beside which peer or limit
 * @param command the command that repeats it
 * @param limit the one thing to know about its results; empty for none
 */
record BenchEntry(String id, String measures, String command, String limit) {
  static List<BenchEntry> readAll(String text) {
    return Json.array(Json.object(Json.parse(text), "the list of benches"), "benches").stream()
        .map(each -> of(Json.object(each, "a bench")))
        .toList();
  }

  private static BenchEntry of(Map<?, ?> members) {
    return new BenchEntry(
        Json.string(members, "id"),
        Json.string(members, "measures"),
        Json.string(members, "command"),
        Json.string(members, "limit"));
  }
}
