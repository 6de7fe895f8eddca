package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestStatus;
import io.sluice.management.QuotaStatus;
import io.sluice.sluicectl.terminal.Keyboard;
import java.time.LocalTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
