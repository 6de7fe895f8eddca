package io.sluice.abi.pscnv;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of the extensions in docs/architecture.md is that of the structures. */
final class ExtensionTableTest {
  private static final Path PAGE =
      Path.of(System.getProperty("sluice.home", ".."), "docs/architecture.md");
  private static final Pattern ROW =
      Pattern.compile("\\| 0x5[0-9a-f] \\| (?<name>[A-Z_]+) \\| (?<layout>.*) \\|");
  private static final Pattern FIELD = Pattern.compile("(?<name>\\w+)@(?<offset>[0-9a-f]{2,3})");
  private static final Pattern SIZE = Pattern.compile("Size (?<hex>[0-9a-f]+)");
  private static final Pattern MEMBER =
      Pattern.compile("0x(?<offset>[0-9a-f]{3}) +\\d+ +(?<name>\\w+) .*");

  private static final Map<String, String> ROWS = new HashMap<>();

  /**
   * A structure of the table.
   *
   * @param row its name there
   * @param type its class
   * @param within the class of its array's elements, whose fields stand in the same row, or its own
   *     class
   */
  private record Entry(String row, Class<?> type, Class<?> within) {
    Entry(String row, Class<?> type) {
      this(row, type, type);
    }

    @Override
    public String toString() {
      return row;
    }
  }

  static Stream<Entry> structures() {
    return Stream.of(
        new Entry("EXT_INFO", ExtInfo.class),
        new Entry("EVENT_FD", ExtEventFd.class),
        new Entry("EVENT_READ", ExtEventRead.class, ExtEvent.class),
        new Entry("REGION_ADD", ExtRegionAdd.class),
        new Entry("REGION_DEL", ExtRegionDel.class),
        new Entry("GEM_IMPORT", ExtGemImport.class),
        new Entry("GEM_IMPORT_PAGES", ExtGemImportPages.class, ExtExtent.class),
        new Entry("CHAN_NEW_AT", ExtChanNewAt.class),
        new Entry("CHAN_CONTROL", ExtChanControl.class),
        new Entry("CHAN_QUERY", ExtChanQuery.class),
        new Entry("CHAN_STATE", ExtChanState.class),
        new Entry("CHAN_PARAM", ExtChanParam.class),
        new Entry("GEM_POOL", ExtGemPool.class),
        new Entry("DIRTY_READ", ExtDirtyRead.class),
        new Entry("FILE_QUERY", ExtFileQuery.class),
        new Entry("GEM_NEW_AT", ExtGemNewAt.class));
  }

  @BeforeAll
  static void read() throws Exception {
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        ROWS.put(row.group("name"), row.group("layout"));
      }
    }
  }

  @Test
  void table_always_hasTheseStructures() {
    assertThat(ROWS.keySet())
        .containsExactlyInAnyOrderElementsOf(structures().map(Entry::row).toList());
  }

  @ParameterizedTest
  @MethodSource("structures")
  void row_ofAStructure_hasItsFieldsAndItsSize(Entry structure) throws Exception {
    String layout = String.valueOf(ROWS.get(structure.row()));

    Matcher size = SIZE.matcher(layout);
    assertThat(size.find()).isTrue();
    StructLayout own = (StructLayout) structure.type().getField("LAYOUT").get(null);
    assertThat(Long.parseLong(size.group("hex"), 16)).isEqualTo(own.byteSize());
    TreeSet<String> written = new TreeSet<>();
    Matcher field = FIELD.matcher(layout);
    while (field.find()) {
      if (!field.group("name").equals("pad")) {
        written.add(field.group("name") + "@" + Long.parseLong(field.group("offset"), 16));
      }
    }
    TreeSet<String> there = new TreeSet<>(fields(structure.type()));
    there.addAll(fields(structure.within()));
    assertThat(written).isEqualTo(there);
  }

  /** Names and offsets of single fields; what is an array is described in words. */
  private static List<String> fields(Class<?> type) throws Exception {
    Field struct = type.getDeclaredField("S");
    struct.setAccessible(true);
    return ((Struct) struct.get(null))
        .table()
        .lines()
        .map(MEMBER::matcher)
        .filter(Matcher::matches)
        .filter(m -> !m.group("name").equals("pad") && isSingle(type, m.group("name")))
        .map(m -> camel(m.group("name")) + "@" + Long.parseLong(m.group("offset"), 16))
        .toList();
  }

  private static boolean isSingle(Class<?> type, String name) {
    try {
      return !type.getField(name.toUpperCase(Locale.ROOT))
          .getType()
          .getSimpleName()
          .equals("Elements");
    } catch (NoSuchFieldException e) {
      return true;
    }
  }

  private static String camel(String name) {
    Matcher joint = Pattern.compile("_(\\w)").matcher(name);
    return joint.replaceAll(m -> m.group(1).toUpperCase(Locale.ROOT));
  }
}
