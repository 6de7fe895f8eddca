package io.sluice.daemon.config;

import io.sluice.abi.ErrorEntry;
import io.sluice.management.Nearest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration as far as its sources have been read. A later source overrides an earlier one
 * key by key; guests add up. Errors are collected, so that an operator sees all of them at once.
 */
final class Draft {
  /**
   * A value as it was written.
   *
   * @param text the value
   * @param origin where
   */
  record Raw(String text, Origin origin) {}

  /**
   * A guest as it was written.
   *
   * @param origin where its table begins
   * @param values its keys
   */
  record GuestDraft(Origin origin, Map<String, Raw> values) {}

  private final Map<String, Map<String, Raw>> sections = new LinkedHashMap<>();
  private final Map<String, Origin> beginnings = new HashMap<>();
  private final List<GuestDraft> guests = new ArrayList<>();
  private final List<ConfigError> errors = new ArrayList<>();

  /** The keys written in a section, {@code gpu.embedded} being one. */
  Map<String, Raw> section(String name) {
    return sections.getOrDefault(name, Map.of());
  }

  /** Names of the GPUs that have a section. */
  List<String> gpuNames() {
    String prefix = Schema.GPU + ".";
    return sections.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()))
        .toList();
  }

  List<GuestDraft> guests() {
    return guests;
  }

  List<ConfigError> errors() {
    return errors;
  }

  /** Where a section was first written. */
  Origin beginning(String section) {
    return beginnings.getOrDefault(section, Origin.DEFAULT);
  }

  /** A section exists, even when no key of it is written. */
  void open(String section, Origin where) {
    beginnings.putIfAbsent(section, where);
    sections.computeIfAbsent(section, _ -> new LinkedHashMap<>());
  }

  void put(String section, String key, Raw raw) {
    open(section, raw.origin());
    sections.getOrDefault(section, Map.of()).put(key, raw);
  }

  void add(GuestDraft guest) {
    guests.add(guest);
  }

  void error(ErrorEntry code, Origin where, String what, String fix) {
    errors.add(new ConfigError(code, where.text(), what, fix));
  }

  void unknownKey(Origin where, String kind, String key, Collection<String> known) {
    Optional<String> near = Nearest.to(key, known);
    error(
        ConfigCode.UNKNOWN_KEY,
        where,
        "unknown " + kind + " \"" + key + "\"",
        near.map(n -> "did you mean \"" + n + "\"?")
            .orElseGet(() -> "there are " + String.join(", ", known)));
  }
}
