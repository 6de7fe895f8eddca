package io.sluice.testbed.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.bench.measure.BarChart.Bar;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class BarChartTest {
  private static final Pattern BOX =
      Pattern.compile("class=\"part\\d\" x=\"([\\d.]+)\" y=\"\\d+\" width=\"([\\d.]+)\"");

  private static String drawn(List<String> series, Bar... bars) {
    return new BarChart("what", "how", "ms", series, List.of(bars)).svg();
  }

  @Test
  void svg_parts_followEachOtherAndStayInThePicture() {
    String svg =
        drawn(
            List.of("one", "two"),
            new Bar("mmul", "a", List.of(30.0, 90.0)),
            new Bar("mmul", "b", List.of(60.0, 0.0)));

    List<MatchResult> boxes = BOX.matcher(svg).results().skip(2).toList(); // the legend's
    assertThat(boxes).hasSize(4);
    assertThat(number(boxes.get(1), 1)).isEqualTo(end(boxes.get(0)));
    assertThat(number(boxes.get(1), 2)).isEqualTo(3 * number(boxes.get(0), 2));
    assertThat(boxes).allMatch(box -> end(box) < 800);
    assertThat(svg).contains(">30 + 90<", ">60 + 0<").containsOnlyOnce(">mmul<");
  }

  private static double end(MatchResult box) {
    return number(box, 1) + number(box, 2);
  }

  private static double number(MatchResult box, int group) {
    return Double.parseDouble(box.group(group));
  }

  @Test
  void svg_any_hasAnAxisInItsUnitAndBothThemes() {
    assertThat(drawn(List.of("one"), new Bar("", "a", List.of(120.0))))
        .contains("prefers-color-scheme: dark", ">0 ms<", ">20 ms<", ">120 ms<")
        .doesNotContain(">140 ms<");
  }

  @Test
  void svg_series_areNamedWhereThereAreSeveral() {
    Bar bar = new Bar("", "a", List.of(1.0));
    assertThat(drawn(List.of("only"), bar)).doesNotContain(">only<");
    assertThat(drawn(List.of("one", "other"), bar)).contains(">one<", ">other<");
  }

  @Test
  void svg_nothingMeasured_isDrawnAllTheSame() {
    assertThat(drawn(List.of("one"), new Bar("", "a", List.of(0.0))))
        .contains(">0<")
        .doesNotContain("NaN", "Infinity");
  }

  @Test
  void svg_names_areText() {
    assertThat(drawn(List.of("one"), new Bar("a & b", "<c>", List.of(1.0))))
        .contains("a &amp; b", "&lt;c>");
  }
}
