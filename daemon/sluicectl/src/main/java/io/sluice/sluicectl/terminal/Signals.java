package io.sluice.sluicectl.terminal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The signals that end a program, passed on to another one that runs in its place. What a terminal
 * sends goes to all of its foreground group, the other program among them: that is not passed on.
 */
public final class Signals {
  private static final List<String> PASSED_ON = List.of("HUP", "INT", "TERM");
  private static final String FROM_TERMINAL = "INT";

  /** Fields of {@code /proc/self/stat} behind the name, which may have blanks: proc(5). */
  private static final int GROUP = 2;

  private static final int FOREGROUND_GROUP = 5;

  private Signals() {}

  /** From now on this process is not ended by them; the other has those that came before it. */
  public static void forward(CompletionStage<Long> pid) {
    for (String name : PASSED_ON) {
      handle(
          name,
          () -> {
            if (!name.equals(FROM_TERMINAL) || !isForeground()) {
              pid.thenAccept(number -> send(name, number));
            }
          });
    }
  }

  /**
   * The JDK's own handling of signals, which the compiler warns of wherever it is named: so it is
   * not.
   */
  private static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      InvocationHandler call =
          (_, _, _) -> {
            action.run();
            return null;
          };
      Object ours =
          Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, call);
      Object _ =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("jdk.unsupported is required", e);
    }
  }

  /** Java itself sends SIGTERM and SIGKILL only. */
  private static void send(String name, long pid) {
    try {
      Process _ =
          new ProcessBuilder("/bin/sh", "-c", "kill -s \"$0\" \"$1\"", name, Long.toString(pid))
              .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
              .redirectError(Redirect.DISCARD)
              .start();
    } catch (IOException _) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy); // SIGTERM is better than none
    }
  }

  private static boolean isForeground() {
    try {
      return isForeground(Files.readString(Path.of("/proc/self/stat")));
    } catch (IOException _) {
      return false;
    }
  }

  /**
   * Whether a process is in the foreground of a terminal.
   *
   * @param stat what the kernel says of it
   */
  public static boolean isForeground(String stat) {
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    return fields.get(GROUP).equals(fields.get(FOREGROUND_GROUP));
  }
}
