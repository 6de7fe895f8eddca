package io.sluice.daemon.config;

import io.sluice.daemon.config.Draft.Raw;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The reader of the environment and the command line into the draft. */
final class TextSources {
  private static final String PREFIX = "SLUICE_";

  private TextSources() {}

  /**
   * {@code SLUICE_DAEMON_RUN_DIR} is {@code daemon.run-dir}. Variables of other sections than ours
   * are none of ours.
   */
  static void environment(Map<String, String> variables, Draft draft) {
    Map<String, String[]> known = new TreeMap<>();
    addKnown(known, Schema.DAEMON, Schema.DAEMON_KEYS);
    addKnown(known, Schema.LOG, Schema.LOG_KEYS);
    addKnown(known, Schema.MIGRATION, Schema.MIGRATION_KEYS);
    addKnown(known, Schema.SESSIONS, Schema.SESSION_KEYS);
    addKnown(known, Schema.GPU + "." + Schema.EMBEDDED, Schema.EMBEDDED_KEYS);
    for (Map.Entry<String, String> variable : new TreeMap<>(variables).entrySet()) {
      String name = variable.getKey();
      String[] key = known.get(name);
      Origin where = Origin.environment(name);
      if (key != null) {
        draft.put(key[0], key[1], new Raw(variable.getValue(), where));
      } else if (isOurs(name)) {
        draft.unknownKey(where, "variable", name, known.keySet());
      }
    }
  }

  /** {@code --set gpu.embedded.vram=512MiB}. */
  static void flags(Map<String, String> flags, Draft draft) {
    flags.forEach((dotted, text) -> flag(dotted, text, draft));
  }

  private static void flag(String dotted, String text, Draft draft) {
    int dot = dotted.lastIndexOf('.');
    String section = dot < 0 ? dotted : dotted.substring(0, dot);
    String name = dotted.substring(dot + 1);
    KeySection schema =
        switch (section) {
          case Schema.DAEMON -> Schema.DAEMON_KEYS;
          case Schema.LOG -> Schema.LOG_KEYS;
          case Schema.MIGRATION -> Schema.MIGRATION_KEYS;
          case Schema.SESSIONS -> Schema.SESSION_KEYS;
          default ->
              section.startsWith(Schema.GPU + ".")
                  ? Schema.gpu(section.substring(Schema.GPU.length() + 1))
                  : null;
        };
    if (dot < 0 || schema == null) {
      draft.unknownKey(Origin.FLAG, "section", section, Schema.TOP_LEVEL);
    } else if (schema.key(name).isEmpty()) {
      draft.unknownKey(Origin.FLAG, "key of " + schema.title(), name, schema.keyNames());
    } else {
      draft.put(section, name, new Raw(text, Origin.FLAG));
    }
  }

  private static boolean isOurs(String name) {
    return Schema.TOP_LEVEL.stream()
        .anyMatch(section -> name.startsWith(PREFIX + section.toUpperCase(Locale.ROOT) + "_"));
  }

  private static void addKnown(Map<String, String[]> known, String section, KeySection keys) {
    for (String key : keys.keyNames()) {
      String name = PREFIX + (section + "_" + key).replace('.', '_').replace('-', '_');
      known.put(name.toUpperCase(Locale.ROOT), new String[] {section, key});
    }
  }
}
