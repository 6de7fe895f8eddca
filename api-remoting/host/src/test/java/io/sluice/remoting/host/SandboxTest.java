package io.sluice.remoting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.RealKernel;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sandbox, from within: a C program tries what is forbidden, in a process of its own. */
final class SandboxTest {
  @TempDir private static Path shared;
  @TempDir private Path dir;

  /** The probe's results: errno, or 0, by what was tried. */
  private static Map<String, Integer> confined = Map.of();

  private static Map<String, Integer> free = Map.of();

  @BeforeAll
  static void probe() throws Exception {
    assumeTrue(
        new RealSandboxKernel(RealKernel.create()).landlockVersion() > 0,
        "this kernel has no Landlock");
    Path program = compile("probe", "-pthread");
    Path cache = Files.createDirectory(shared.resolve("cache"));
    Files.copy(program, cache.resolve("program"), StandardCopyOption.COPY_ATTRIBUTES);
    confined = results(run(confinement(cache, program, cache.toString())));
    Path open = Files.createDirectory(shared.resolve("open"));
    free = results(run(List.of(program.toString(), open.toString(), "harmless")));
  }

  private static Path compile(String name, String... options) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/gcc")), "there is no C compiler");
    Path source = shared.resolve(name + ".c");
    try (InputStream resource = SandboxTest.class.getResourceAsStream(name + ".c")) {
      Files.copy(Objects.requireNonNull(resource), source, StandardCopyOption.REPLACE_EXISTING);
    }
    Path program = shared.resolve(name);
    List<String> command = new ArrayList<>(List.of("gcc", "-o", program.toString(), "" + source));
    command.addAll(List.of(options));
    run(command);
    return program;
  }

  private static List<String> confinement(Path cache, Path program, String... arguments) {
    String classes =
        Stream.of(ConfinedCommand.class, SessionHost.class, RealKernel.class, slf4j())
            .map(SandboxTest::root)
            .distinct()
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes,
                ConfinedCommand.class.getName(),
                cache.toString(),
                program.toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static Class<?> slf4j() {
    try {
      return Class.forName("org.slf4j.LoggerFactory");
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** The directory or jar that has a class; of a test's, that of the tests of its module. */
  private static String root(Class<?> type) {
    URL found = Objects.requireNonNull(type.getResource(type.getSimpleName() + ".class"));
    String path = found.getPath().replaceFirst("^file:", "");
    return path.substring(0, path.length() - type.getName().length() - ".class".length())
        .replaceFirst("(!/|/)$", "");
  }

  /** What a command prints; it must succeed. */
  private static List<String> run(List<String> command) throws IOException, InterruptedException {
    Path out = Files.createTempFile(shared, "out", "");
    Path err = Files.createTempFile(shared, "err", "");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      int code = process.waitFor();
      assertThat(code).as(() -> command + ": " + read(err) + read(out)).isZero();
    } finally {
      process.destroyForcibly();
    }
    return Files.readAllLines(out);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static Map<String, Integer> results(List<String> lines) {
    Map<String, Integer> results = new TreeMap<>();
    for (String line : lines) {
      String[] words = line.split(" ");
      results.put(words[0], Integer.valueOf(words[1]));
    }
    return results;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "socket-unix",
        "socket-inet",
        "socketpair",
        "socketpair-packets",
        "connect",
        "bind",
        "listen",
        "ptrace",
        "process-vm-readv",
        "process-vm-writev",
        "pidfd-open",
        "pidfd-getfd",
        "kill",
        "tgkill",
        "prlimit",
        "affinity",
        "scheduler",
        "scheduler-parameters",
        "scheduler-attributes",
        "priority",
        "io-priority",
        "migrate-pages",
        "move-pages",
        "set-owner",
        "set-owner-ex",
        "set-signal",
        "set-socket-owner",
        "set-socket-group",
        "shmget",
        "shmat",
        "shmctl",
        "semop",
        "msgsnd",
        "mount",
        "open-tree",
        "unshare",
        "setns",
        "clone-namespace",
        "bpf",
        "perf",
        "keyctl",
        "userfaultfd",
        "io-uring",
        "kexec",
        "module",
        "handle",
        "setsid",
        "setpgid",
        "chmod",
      })
  void call_thatIsRefused_isEperm(String call) {
    assertThat(confined).containsEntry(call, Errno.EPERM.number());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "read-etc",
        "read-stranger",
        "write-tmp",
        "write-shm",
        "write-usr",
        "fifo-cache",
        "run-directory",
        "run-cache"
      })
  void file_thatIsNotAllowed_isEacces(String access) {
    assertThat(confined).containsEntry(access, Errno.EACCES.number());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "read-own",
        "read-usr",
        "read-processors",
        "write-null",
        "write-cache",
        "rename-cache",
        "remove-cache",
        "prlimit-own",
        "flags-own",
        "ioctl-own",
        "thread",
        "run-usr"
      })
  void work_ofASessionHost_succeeds(String access) {
    assertThat(confined).containsEntry(access, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"clone3", "x32"})
  void call_ofAnotherForm_doesNotExist(String call) {
    assertThat(confined).containsEntry(call, Errno.ENOSYS.number());
  }

  /** Or what was found above would be the test's own doing. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "socket-unix",
        "socket-inet",
        "socketpair",
        "socketpair-packets",
        "kill",
        "prlimit",
        "set-owner",
        "set-owner-ex",
        "set-signal",
        "shmget",
        "setpgid",
        "chmod",
        "read-etc",
        "read-stranger",
        "write-tmp",
        "fifo-cache"
      })
  void access_withoutTheSandbox_succeeds(String access) {
    assertThat(free).containsEntry(access, 0);
  }

  @Test
  void openCl_withinTheSandbox_compilesAndRunsAKernel() throws Exception {
    assumeTrue(Files.exists(Path.of("/usr/include/CL/cl.h")), "there are no headers of OpenCL");
    assumeTrue(Files.isDirectory(Path.of("/etc/OpenCL/vendors")), "there is no OpenCL");
    Path program = compile("kernel", "-lOpenCL");

    assertThat(run(confinement(dir, program))).containsExactly("right");
    assertThat(dir).isNotEmptyDirectory(); // what was compiled is kept where it may be
  }

  @Test
  void enter_withoutLandlockWhereItIsRequired_isRefusedBeforeAnythingIsDone() {
    RecordingSandboxKernel calls = new RecordingSandboxKernel(0);

    assertThatThrownBy(() -> new Sandbox(RealKernel.create(), calls).enter(rules(), true))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-SES-001");
    assertThat(calls.made()).containsExactly("landlockVersion");
  }

  @Test
  void enter_withoutLandlockWhereBestIsEnough_filtersCalls() {
    RecordingSandboxKernel calls = new RecordingSandboxKernel(0);

    assertThat(new Sandbox(RealKernel.create(), calls).enter(rules(), false)).isEqualTo("seccomp");
    assertThat(calls.made())
        .containsExactly(
            "landlockVersion", "forbidNewPrivileges", "dropCapabilities", "filterCalls");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void enter_everyVersionOfLandlock_asksForWhatItKnows(int version) {
    RecordingSandboxKernel calls = new RecordingSandboxKernel(version);

    new Sandbox(RealKernel.create(), calls).enter(rules(), true);

    assertThat(calls.made()).contains("restrictSelf", "filterCalls");
    assertThat(Long.bitCount(calls.files()))
        .isEqualTo(
            switch (version) {
              case 1 -> 13;
              case 2 -> 14;
              case 3, 4 -> 15;
              default -> 16;
            });
    assertThat(calls.allowed()).allMatch(access -> (access & ~calls.files()) == 0 && access != 0);
    assertThat(calls.ports() != 0).isEqualTo(version >= 4);
    assertThat(calls.scopes() != 0).isEqualTo(version >= 6);
  }

  private SandboxRules rules() {
    HostArguments arguments =
        new HostArguments(
            Path.of("/none"), dir, 1L << 32, true, List.of(), Optional.empty(), List.of());
    return SandboxRules.of(arguments, 1, Path.of(System.getProperty("java.home")), List.of());
  }
}
