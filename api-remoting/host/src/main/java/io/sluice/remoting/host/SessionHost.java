package io.sluice.remoting.host;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sandbox.SandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The program that the daemon starts for a guest. It connects to the daemon, enters the sandbox and
 * becomes {@link ConfinedHost}, the same Java again: Landlock holds for the thread that asks for it
 * and those it makes, and a Java that has begun has others already. The process id stays.
 */
public final class SessionHost {
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  /** {@code OOM_SCORE_ADJ_MAX}. */
  private static final String FIRST_TO_END = "1000";

  private SessionHost() {}

  /** Runs a session host until the daemon closes its link. */
  public static void main(String[] words) {
    HostArguments arguments;
    try {
      arguments = HostArguments.parse(List.of(words));
    } catch (IllegalArgumentException e) {
      System.err.println("session host: " + e.getMessage());
      System.exit(USAGE);
      return;
    }
    try {
      become(arguments);
    } catch (SluiceException e) {
      System.err.println("session host: " + e.getMessage());
      System.exit(FAILED);
    }
  }

  private static void become(HostArguments arguments) {
    Kernel kernel = RealKernel.create();
    SandboxKernel calls = new RealSandboxKernel(kernel);
    Path home = Path.of(System.getProperty("java.home"));
    int pid = (int) ProcessHandle.current().pid();
    calls.leadGroup(); // what it starts is ended with it
    calls.limitMemory(arguments.memoryBytes());
    calls.halveOpenFiles(); // what it sends to itself, and leaves there, counts for its user
    goFirst();
    Fd link = kernel.connect(arguments.control());
    // Keeps the directory's inode, by which Landlock knows it, for as long as the process lives.
    Fd self = kernel.open(Path.of("/proc", Integer.toString(pid)), Sandbox.PATH_ONLY);
    String sandbox =
        new Sandbox(kernel, calls)
            .enter(
                SandboxRules.of(arguments, pid, home, modulePath()), arguments.sandboxRequired());
    calls.exec(
        home.resolve("bin/java"),
        command(home, arguments.options(), link, sandbox),
        environment(arguments),
        List.of(link, self));
  }

  /** A host without memory ends a session host before anybody else, the largest first. */
  private static void goFirst() {
    try {
      Path _ =
          Files.writeString(
              Path.of("/proc/self/oom_score_adj"), FIRST_TO_END, StandardOpenOption.WRITE);
    } catch (IOException e) {
      System.err.println("session host: not the first to end without memory: " + e);
    }
  }

  /** The same Java and modules with the options that were asked for, and the other main class. */
  private static List<String> command(Path home, List<String> options, Fd link, String sandbox) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/java").toString());
    command.addAll(options);
    command.add("--module-path");
    command.add(System.getProperty("jdk.module.path", ""));
    command.add("--module");
    command.add(ConfinedHost.class.getModule().getName() + "/" + ConfinedHost.class.getName());
    command.add(Integer.toString(link.number()));
    command.add(sandbox);
    return command;
  }

  private static List<Path> modulePath() {
    return Stream.of(System.getProperty("jdk.module.path", "").split(File.pathSeparator))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .toList();
  }

  /**
   * Has Java keep its signals: while LLVM's compiler writes a file it takes them for itself, and
   * removes that file at Java's next fault, of which Java makes use all the time. Then a build
   * fails that nothing is wrong with.
   */
  private static void chainSignals(Map<String, String> environment) {
    Path chaining = Path.of(System.getProperty("java.home"), "lib", "libjsig.so");
    if (Files.exists(chaining)) {
      environment.put("LD_PRELOAD", chaining.toString());
    }
  }

  /** Of the daemon's environment nothing that is not needed: a kernel's author may read it. */
  private static Map<String, String> environment(HostArguments arguments) {
    Path cache = arguments.cache();
    Map<String, String> environment = new TreeMap<>();
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("HOME", cache.toString());
    environment.put("TMPDIR", cache.toString());
    environment.put("POCL_CACHE_DIR", cache.toString());
    environment.put("LC_ALL", "C.UTF-8");
    chainSignals(environment);
    arguments
        .implementation()
        .ifPresent(directory -> {
          // The Khronos loader, which CUDA brings, takes what does not end in / for a library.
          environment.put("OCL_ICD_VENDORS", directory + "/");
          environment.put("LD_LIBRARY_PATH", directory.resolve("lib").toString());
        });
    return environment;
  }
}
