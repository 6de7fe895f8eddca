package io.sluice.daemon.config;

import io.sluice.daemon.config.Draft.GuestDraft;
import io.sluice.daemon.config.Draft.Raw;
import io.sluice.management.Quantities;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** The reader of one file into the draft. */
final class TomlSource {
  /** A configuration is small; anything longer is a mistake. */
  static final int MAX_FILE_BYTES = 1 << 20;

  private final Path file;
  private final Draft draft;

  TomlSource(Path file, Draft draft) {
    this.file = file;
    this.draft = draft;
  }

  void read() {
    String text;
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        unreadable("is longer than " + Quantities.formatSize(MAX_FILE_BYTES));
        return;
      }
      text = Files.readString(file);
    } catch (NoSuchFileException _) {
      unreadable("does not exist");
      return;
    } catch (CharacterCodingException _) {
      unreadable("is not UTF-8");
      return;
    } catch (IOException e) {
      unreadable("cannot be read: " + e.getMessage());
      return;
    }
    TomlParseResult result = Toml.parse(text);
    for (TomlParseError error : result.errors()) {
      draft.error(ConfigCode.SYNTAX, at(error.position()), String.valueOf(error.getMessage()), "");
    }
    if (!result.hasErrors()) {
      topLevel(result);
    }
  }

  private void topLevel(TomlTable root) {
    for (String key : root.keySet()) {
      Origin where = at(root.inputPositionOf(List.of(key)));
      @Nullable Object value = root.get(List.of(key));
      switch (key) {
        case Schema.DAEMON -> section(where, key, Schema.DAEMON_KEYS, value);
        case Schema.LOG -> section(where, key, Schema.LOG_KEYS, value);
        case Schema.MIGRATION -> section(where, key, Schema.MIGRATION_KEYS, value);
        case Schema.SESSIONS -> section(where, key, Schema.SESSION_KEYS, value);
        case Schema.GPU -> gpus(where, value);
        case Schema.GUEST -> guests(where, value);
        default -> draft.unknownKey(where, "section", key, Schema.TOP_LEVEL);
      }
    }
  }

  private void section(Origin where, String name, KeySection schema, @Nullable Object value) {
    if (!(value instanceof TomlTable table)) {
      draft.error(ConfigCode.VALUE, where, name + " is a section", "write " + schema.title());
      return;
    }
    draft.open(name, where);
    keys(table, schema).forEach((key, raw) -> draft.put(name, key, raw));
  }

  private void gpus(Origin where, @Nullable Object value) {
    if (!(value instanceof TomlTable table)) {
      draft.error(ConfigCode.VALUE, where, "gpu holds a section for each GPU", "[gpu.embedded]");
      return;
    }
    for (String name : table.keySet()) {
      Origin at = at(table.inputPositionOf(List.of(name)));
      section(at, Schema.GPU + "." + name, Schema.gpu(name), table.get(List.of(name)));
    }
  }

  private void guests(Origin where, @Nullable Object value) {
    if (!(value instanceof TomlArray array) || array.isEmpty() || !array.isTable(0)) {
      draft.error(ConfigCode.VALUE, where, "each guest is a table of its own", "write [[guest]]");
      return;
    }
    for (int i = 0; i < array.size(); i++) {
      Origin at = at(array.inputPositionOf(i));
      draft.add(new GuestDraft(at, keys(array.getTable(i), Schema.GUEST_KEYS)));
    }
  }

  private Map<String, Raw> keys(TomlTable table, KeySection schema) {
    Map<String, Raw> values = new LinkedHashMap<>();
    for (String name : table.keySet()) {
      Origin where = at(table.inputPositionOf(List.of(name)));
      Optional<Key<?>> key = schema.key(name);
      if (key.isEmpty()) {
        draft.unknownKey(where, "key of " + schema.title(), name, schema.keyNames());
      } else if (table.get(List.of(name)) instanceof String text) {
        values.put(name, new Raw(text, where));
      } else if (table.get(List.of(name)) instanceof Boolean flag
          && key.get().type() == ValueType.FLAG) {
        values.put(name, new Raw(flag.toString(), where));
      } else {
        draft.error(
            ConfigCode.VALUE,
            where,
            name + " takes " + key.get().type().expects(),
            "write it in quotes");
      }
    }
    return values;
  }

  private void unreadable(String why) {
    draft.error(ConfigCode.UNREADABLE, new Origin(file.toString()), why, "");
  }

  private Origin at(@Nullable TomlPosition position) {
    return position == null
        ? new Origin(file.toString())
        : Origin.file(file, position.line(), position.column());
  }
}
