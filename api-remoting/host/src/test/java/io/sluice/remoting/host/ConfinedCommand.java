package io.sluice.remoting.host;

import io.sluice.abi.sandbox.Landlock;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A program that enters the sandbox of a session host and becomes a command: for tests. */
final class ConfinedCommand {
  private ConfinedCommand() {}

  /**
   * Becomes the command.
   *
   * @param words the directory that may be written to, what is run, its arguments
   */
  public static void main(String[] words) {
    Kernel kernel = RealKernel.create();
    RealSandboxKernel calls = new RealSandboxKernel(kernel);
    Path cache = Path.of(words[0]);
    long stranger = ProcessHandle.current().parent().orElseThrow().pid();
    HostArguments arguments =
        new HostArguments(
            Path.of("/none"), cache, 1L << 32, true, List.of(), Optional.empty(), List.of());
    SandboxRules rules =
        SandboxRules.of(
            arguments,
            (int) ProcessHandle.current().pid(),
            Path.of(System.getProperty("java.home")),
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .toList());
    rules.files().put(Path.of(words[1]), Landlock.FS_EXECUTE | Landlock.FS_READ_FILE);
    calls.leadGroup();
    calls.limitMemory(arguments.memoryBytes());
    new Sandbox(kernel, calls).enter(rules, true);
    calls.exec(
        Path.of(words[1]),
        Arrays.asList(words).subList(1, words.length),
        Map.of(
            "PATH", "/usr/bin:/bin",
            "HOME", words[0],
            "TMPDIR", words[0],
            "POCL_CACHE_DIR", words[0],
            "PROBE_STRANGER", Long.toString(stranger)),
        List.of());
  }
}
