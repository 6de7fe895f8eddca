package io.sluice.testbed.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;
import io.sluice.management.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The page docs/errors.md, made of the modules' tables of errors. */
final class ErrorsPage {
  static final String PAGE = "docs/errors.md";

  private static final String INTRODUCTION =
      """
      # Errors

      Each error of the daemon and of `sluicectl` has a code that does not change between releases. The message beside it
      names what it is about this time; this page says what the code means, why it usually comes, and what to do.
      `sluicectl explain SLU-DMA-004` prints one line of it, without a daemon.

      A test makes this page of the modules' tables and compares it: `./sluice test -Dtest=ErrorsPageTest
      -Dsluice.golden=write` writes it anew.
      """;

  /** The areas in the order of the page, each with the subject of its errors. */
  private static final Map<String, String> AREAS = areas();

  private ErrorsPage() {}

  private static Map<String, String> areas() {
    Map<String, String> areas = new LinkedHashMap<>();
    areas.put("CONFIG", "the configuration");
    areas.put("DAEMON", "the daemon");
    areas.put("LOG", "its log");
    areas.put("CTL", "`sluicectl` and the control socket");
    areas.put("GUEST", "guests, as the operator makes them");
    areas.put("QUOTA", "shares of a GPU");
    areas.put("CHN", "channels and memory of a guest");
    areas.put("GPU", "the embedded GPU and pscnv");
    areas.put("SES", "API sessions");
    areas.put("PROG", "CUDA programs of a guest");
    areas.put("RLY", "driver calls of CUDA programs");
    areas.put("RM", "NVIDIA GPUs");
    areas.put("VFU", "the virtual device and its client");
    areas.put("DMA", "memory that a client shares");
    areas.put("IRQ", "interrupts");
    areas.put("CAL", "calls of the guest's driver");
    areas.put("MIG", "migrations");
    areas.put("NET", "links between hosts");
    areas.put("QMP", "QEMU's monitor");
    areas.put("CKP", "checkpoints");
    areas.put("REC", "state records, which migrations and checkpoints carry");
    areas.put("SYS", "the host's system");
    return areas;
  }

  /** The errors of all tables of these classes, by code; one that is listed twice stands twice. */
  static List<ErrorText> errors(JavaClasses classes) {
    List<ErrorText> found = new ArrayList<>();
    for (JavaClass type : classes) {
      if (type.isEnum() && type.isAssignableTo(ErrorEntry.class)) {
        for (Object constant : type.reflect().getEnumConstants()) {
          found.add(((ErrorEntry) constant).text());
        }
      }
    }
    Arrays.stream(ErrorCode.values())
        .map(e -> new ErrorText(e.code(), e.meaning(), e.cause(), e.remedy()))
        .forEach(found::add);
    found.sort(Comparator.comparing(ErrorText::code));
    return found;
  }

  /** Codes that stand in the tables more than once. */
  static Set<String> codesTwice(List<ErrorText> errors) {
    Set<String> seen = new TreeSet<>();
    Set<String> twice = new TreeSet<>();
    for (ErrorText error : errors) {
      if (!seen.add(error.code())) {
        twice.add(error.code());
      }
    }
    return twice;
  }

  /**
   * The text of the page.
   *
   * @throws IllegalArgumentException for an error of no area, or a text that is no cell of a table
   */
  static String of(List<ErrorText> errors) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    Set<String> left = new TreeSet<>(errors.stream().map(ErrorsPage::area).toList());
    for (Map.Entry<String, String> area : AREAS.entrySet()) {
      left.remove(area.getKey());
      page.append("\n## ").append(area.getKey()).append(": ").append(area.getValue());
      page.append("\n\n| code | meaning | cause | remedy |\n|---|---|---|---|\n");
      errors.stream().filter(e -> area(e).equals(area.getKey())).forEach(e -> page.append(line(e)));
    }
    if (!left.isEmpty()) {
      throw new IllegalArgumentException("areas that the page does not have: " + left);
    }
    return page.toString();
  }

  private static String line(ErrorText error) {
    List<String> cells = List.of(error.code(), error.meaning(), error.cause(), error.remedy());
    for (String cell : cells) {
      if (cell.contains("|") || cell.contains("\n")) {
        throw new IllegalArgumentException("no cell of a table: " + cell);
      }
    }
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String area(ErrorText error) {
    return error.code().split("-")[1];
  }
}
