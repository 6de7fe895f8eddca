package io.sluice.testbed.attack;

import io.sluice.testbed.machine.JavaProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program of the suite as a process of its own, a small one. */
final class SmallProgram {
  private SmallProgram() {}

  /** Its command line. */
  static List<String> command(Class<?> program) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--illegal-native-access=deny",
            "--enable-native-access=io.sluice.abi"));
    command.addAll(JavaProgram.of("io.sluice.testbed.attack", program.getName()));
    return command;
  }

  /** Begins it; what it says, errors too, is on its standard output. */
  static Process start(Class<?> program, String... arguments) throws IOException {
    List<String> command = command(program);
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
