package io.sluice.sluicectl;

import io.sluice.management.Nearest;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ParameterException;

/**
 * Rows of one kind with the columns they have.
 *
 * @param plural what the JSON calls the list
 * @param columns all columns
 * @param <T> the row
 */
record Listing<T>(String plural, List<Column<T>> columns) {
  /** The columns to show, in the order asked for, or the usual ones. */
  List<Column<T>> choose(Output output) {
    if (output.columns().isEmpty()) {
      return columns.stream()
          .filter(c -> output.format() == Format.table ? c.shown() : c.raw() != null)
          .toList();
    }
    List<Column<T>> chosen = new ArrayList<>();
    for (String id : output.columns()) {
      chosen.add(
          columns.stream()
              .filter(c -> c.id().equals(id))
              .filter(c -> output.format() == Format.table || c.raw() != null)
              .findFirst()
              .orElseThrow(() -> unknown(id, output)));
    }
    return chosen;
  }

  private ParameterException unknown(String id, Output output) {
    List<String> known = ids(output.format());
    String what = "no column \"" + id + "\"";
    return new ParameterException(
        GlobalOptions.running(output.line()),
        Nearest.to(id, known)
            .map(near -> what + "; did you mean \"" + near + "\"?")
            .orElse(what + " among the " + known.size() + " there are"));
  }

  /** Those that programs read. */
  List<Column<T>> json() {
    return columns.stream().filter(c -> c.raw() != null).toList();
  }

  /** The columns that a format has. */
  List<String> ids(Format format) {
    return columns.stream()
        .filter(c -> format == Format.table || c.raw() != null)
        .map(Column::id)
        .toList();
  }
}
