package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.GuestMXBean;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.ObjectNames;
import io.sluice.management.ProgramsMXBean;
import io.sluice.management.SessionsMXBean;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Everything that JMX shows is on docs/jmx.md with its description. */
final class JmxPageTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));

  private static final SortedMap<String, Class<?>> BEANS =
      new TreeMap<>(
          Map.of(
              ObjectNames.DAEMON.toString(), DaemonMXBean.class,
              ObjectNames.guest("NAME").toString(), GuestMXBean.class,
              ObjectNames.MIGRATIONS.toString(), MigrationsMXBean.class,
              ObjectNames.PROGRAMS.toString(), ProgramsMXBean.class,
              ObjectNames.SESSIONS.toString(), SessionsMXBean.class));

  /** An MXBean of which somebody forgot something. */
  public interface ForgottenMXBean {
    int getNumber();
  }

  @Test
  void page_ofThisTree_isWhatTheBeansSay() throws IOException {
    Path page = HOME.resolve(JmxPage.PAGE);
    String expected = JmxPage.of(BEANS);
    if (System.getProperty("sluice.golden", "").equals("write")) {
      Files.writeString(page, expected);
    }

    assertThat(Files.readString(page)).isEqualTo(expected);
  }

  @Test
  void beans_ofTheProduct_areAllOnThePage() {
    assertThat(
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(
                        place -> place.contains("MXBean.class")) // the others are many
                    .importPackages("io.sluice")
                    .stream()
                    .filter(c -> c.isInterface() && c.getSimpleName().endsWith("MXBean"))
                    .map(c -> (Object) c.reflect()))
        .containsExactlyInAnyOrderElementsOf(BEANS.values());
  }

  @Test
  void page_attributeWithoutDescription_isRefused() {
    assertThatThrownBy(
            () -> JmxPage.of(new TreeMap<>(Map.of("io.sluice:type=X", ForgottenMXBean.class))))
        .hasMessageContaining("not described");
  }
}
