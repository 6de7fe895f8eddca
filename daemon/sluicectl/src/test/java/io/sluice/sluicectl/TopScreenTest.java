package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestStatus;
import io.sluice.management.QuotaStatus;
import io.sluice.sluicectl.terminal.Keyboard;
import java.time.LocalTime;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;

/** What {@code top} shows of a terminal's width, and above its rows. */
final class TopScreenTest {
  private static final Output OUTPUT =
      new Output(
          new picocli.CommandLine(CommandSpec.create()),
          Format.table,
          List.of(),
          true,
          Output.UNLIMITED);

  private static TopRow row(String guest, String gpu, int pid, long held, double gpuPercent) {
    return new TopRow(
        new GuestStatus(
            guest, "", "running", gpu, "", "", "", pid, pid == 0 ? -1 : 1, "", 3, 9, held, held),
        new QuotaStatus(
            guest, gpu, 0, 1, 0, "", 0, false, true, held, held, 0, 0, 0, 0, 0, 0, 0, 0),
        gpuPercent,
        0,
        new TopRow.SessionUse(0, 0, 0));
  }

  @Test
  void summary_ofRows_addsThemUpByGpu() {
    List<TopRow> rows =
        List.of(
            row("a", "card0", 7, 1 << 20, 40),
            row("b", "card0", 8, 2 << 20, 21.5),
            row("c", "card1", 0, 0, 50));

    assertThat(TopRow.summary(LocalTime.of(3, 4, 5, 6_000_000), rows))
        .isEqualTo(
            "03:04:05  guests 3, 2 attached  channels 9  memory 3.0 MiB  busiest gpu 61.5 %"
                + "  q quits");
  }

  private static List<String> ordered(Comparator<TopRow> order) {
    return Stream.of(
            row("a", "card0", 7, 2 << 20, 40),
            row("b", "card0", 8, 3 << 20, 21.5),
            row("c", "card1", 9, 1 << 20, 90))
        .sorted(order)
        .map(row -> row.guest().name())
        .toList();
  }

  @Test
  void order_ofNone_isByUseOfTheGpu() {
    assertThat(ordered(TopRow.busiestFirst())).containsExactly("c", "a", "b");
  }

  /** The text of an amount would be in another order than the amount. */
  @ParameterizedTest
  @CsvSource({"memory, bac", "held-bytes, bac", "gpu-time, cab", "gpu-percent, cab"})
  void order_byAColumn_hasTheLargestFirst(String column, String guests) {
    Comparator<TopRow> order = TopRow.largestFirst(column).orElseThrow();

    assertThat(String.join("", ordered(order))).isEqualTo(guests);
  }

  @Test
  void order_byEachColumnOfNumbers_orders() {
    assertThat(TopRow.orders())
        .hasSize(Views.TOP.columns().size() - 3)
        .allSatisfy(
            column -> assertThat(ordered(TopRow.largestFirst(column).orElseThrow())).hasSize(3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"guest", "gpu", "state", "memry", "MEMORY", ""})
  void order_byWhatIsNoColumnOfNumbers_isNone(String column) {
    assertThat(TopRow.largestFirst(column)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"200, evictions", "40, state", "1, guest"})
  void columns_ofANarrowTerminal_endWhereItDoes(int width, String lastSeen) {
    List<TopRow> rows = List.of(row("web-01", "embedded", 7, 1 << 20, 4));
    List<Column<TopRow>> all = Views.TOP.choose(OUTPUT);

    List<Column<TopRow>> fitting = OUTPUT.fitting(all, rows, width);

    assertThat(fitting).extracting(Column::id).contains(lastSeen);
    assertThat(all.subList(0, fitting.size())).isEqualTo(fitting);
    assertThat(width >= 200).isEqualTo(fitting.size() == all.size());
  }

  @ParameterizedTest
  @CsvSource({"'24 132\n', 132", "'', 80", "'0 0', 80", "'stty: no', 80"})
  void columns_asSttySays(String size, int columns) {
    assertThat(Keyboard.columns(size)).isEqualTo(columns);
  }
}
