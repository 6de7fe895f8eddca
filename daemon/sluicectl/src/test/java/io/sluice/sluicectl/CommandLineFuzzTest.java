package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Arguments of any kind, a line each, parsed and not acted upon: understood, or wrong usage. */
final class CommandLineFuzzTest {
  private static final int MAX_ARGUMENTS = 32;

  private final CommandLine line = SluiceCtl.commandLine(Map.of());

  static Stream<byte[]> arguments() {
    return Stream.of(
            "guest list --format json --columns name,uuid",
            "guest create a --gpu embedded --vram-limit 64MiB",
            "guest xml web-01 --qemu --memory 4GiB",
            "migration start web-01 qemu+tls://kvm-b:7700 --live --timeout 5m",
            "quota set web-01 --share 2",
            "monitor --type guest --count 3",
            "channel kill web-01 9",
            "guest run web-01 -- ./program -x @file --help",
            "--socket /run/x daemon log-level debug",
            "gust list",
            "guest list --colums name",
            "completion bash",
            "--version")
        .map(text -> text.replace(' ', '\n').getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("arguments")
  @FuzzTest
  void line(byte[] input) {
    String[] arguments = new String(input, StandardCharsets.UTF_8).split("\n", MAX_ARGUMENTS);
    try {
      ParseResult first = line.parseArgs(arguments.clone());
      assertThat(first.originalArgs()).containsExactly(arguments);
      ParseResult second = line.parseArgs(arguments.clone());
      assertThat(second.matchedArgs()).hasSameSizeAs(first.matchedArgs());
    } catch (ParameterException e) {
      assertThat(e.getMessage()).isNotBlank();
      assertThat(e.getCommandLine().getCommandSpec().qualifiedName()).startsWith("sluicectl");
    }
  }
}
