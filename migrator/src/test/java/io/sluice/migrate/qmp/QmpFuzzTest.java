package io.sluice.migrate.qmp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.abi.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a monitor says: cut into the same lines however it arrives, each an object or not one, of
 * which all that is asked of QEMU is read, or missing.
 */
final class QmpFuzzTest {
  private static final int MAX_LINE = 4096;

  static Stream<byte[]> replies() {
    return Stream.of(
            ScriptedMonitor.GREETING,
            "{\"return\": {\"status\": \"active\", \"ram\": {\"transferred\": 5, \"remaining\": 7,"
                + " \"total\": 9, \"dirty-sync-count\": 1}, \"downtime\": 3}, \"id\": \"4\"}",
            "{\"return\": [{\"devices\": [{\"bus\": 0, \"slot\": 3, \"function\": 0, \"id\":"
                + " {\"vendor\": 6900, \"device\": 4336}, \"regions\": [{\"bar\": 0, \"address\":"
                + " 4096}], \"pci_bridge\": {\"devices\": []}}]}], \"id\": \"5\"}",
            "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no \\u00fc\"}, \"id\": \"6\"}",
            "{\"event\": \"MIGRATION\", \"data\": {\"status\": \"setup\"}}\r\n\r\n{}",
            "{\"a\": -9223372036854775808, \"b\": 1e400, \"c\": [null, true, 1.5]}")
        .map(text -> (text + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("replies")
  @FuzzTest
  void replies(byte[] input) throws IOException {
    List<String> whole = lines(new ByteArrayInputStream(input));
    List<String> slowly =
        lines(
            new InputStream() {
              private int at;

              @Override
              public int read() {
                return at < input.length ? input[at++] & 0xff : -1;
              }

              @Override
              public int read(byte[] into, int from, int length) {
                if (at == input.length) {
                  return -1;
                }
                into[from] = input[at++];
                return 1;
              }
            });
    assertThat(slowly).isEqualTo(whole);
  }

  private static List<String> lines(InputStream from) throws IOException {
    List<String> found = new ArrayList<>();
    LineReader lines = new LineReader(Channels.newChannel(from), MAX_LINE);
    while (lines.next()) {
      assertThat(lines.length()).isBetween(1, MAX_LINE);
      Optional<JsonObject> object = JsonText.parse(lines.bytes(), lines.length());
      found.add(object.map(QmpFuzzTest::read).orElse("none"));
    }
    found.add(lines.isTooLong() ? "too long" : "end");
    return found;
  }

  private static String read(JsonObject object) {
    MigrationProgress progress =
        MigrationProgress.of(object.object("return").orElse(JsonObject.EMPTY));
    assertThat(progress.status()).isNotNull();
    QmpEvent event =
        new QmpEvent(
            object.text("event").orElse(""), object.object("data").orElse(JsonObject.EMPTY));
    String failure =
        object
            .object("error")
            .map(error -> QmpFailure.refused("query-status", error).getMessage())
            .orElse("");
    String found;
    try {
      found = PciAddress.find(object.objects("return"), 0x1af4, 0x10f0, 4096).toString();
    } catch (RefusedException e) {
      found = e.code();
    }
    return object + " " + progress + " " + event + " " + failure + " " + found;
  }
}
