package io.sluice.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Configuration files of any bytes, and the values of {@code --set}: a configuration that is the
 * same when it is read again, or errors that each say where and what.
 */
final class TomlFuzzTest {
  private static final int MAX_BYTES = 4096;

  private Path directory;

  @BeforeEach
  void choose() throws IOException {
    directory = Files.createTempDirectory("sluice");
  }

  @AfterEach
  void remove() throws IOException {
    Files.deleteIfExists(directory.resolve("sluice.toml"));
    Files.delete(directory);
  }

  static Stream<byte[]> files() {
    Stream<String> wrong =
        ConfigLoaderTest.wrongFiles().stream().map(ConfigLoaderTest.Wrong::text).limit(12);
    Stream<String> right =
        Stream.of(
            "[daemon]\nrun-dir = \"/run/x\"\n[log]\nlevel = \"debug\"\n",
            "[gpu.embedded]\nvram = \"512MiB\"\nspin = \"100us\"\n[[guest]]\nname = \"web-01\"\n",
            "[migration]\nlisten = \"127.0.0.1:7700\"\n[sessions]\naccept-from = \"kvm-a\"\n");
    return Stream.concat(wrong, right).map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("files")
  @FuzzTest
  void file(byte[] input) throws IOException {
    if (input.length > MAX_BYTES) {
      return;
    }
    Path file = directory.resolve("sluice.toml");
    Path _ = Files.write(file, input);
    assertThat(load(file, Map.of())).isEqualTo(load(file, Map.of()));
  }

  static Stream<byte[]> settings() {
    return Stream.of(
            "daemon.run-dir=/run/x", "log.level=debug", "gpu.embedded.vram=1GiB", "guest.a.b=c")
        .map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("settings")
  @FuzzTest
  void setting(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    int equals = text.indexOf('=');
    if (equals < 0) {
      return;
    }
    Map<String, String> flags = Map.of(text.substring(0, equals), text.substring(equals + 1));
    Path none = directory.resolve("none.toml");
    assertThat(load(none, flags)).isEqualTo(load(none, flags));
  }

  /** What comes of it, as text. */
  private static String load(Path file, Map<String, String> flags) {
    try {
      return new ConfigLoader(Map.of(), flags).loadIfThere(file).toString();
    } catch (ConfigException e) {
      assertThat(e.errors()).isNotEmpty();
      e.errors()
          .forEach(error -> {
            assertThat(error.toString()).isNotBlank();
          });
      return e.errors().toString();
    }
  }
}
