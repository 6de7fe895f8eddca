package io.sluice.daemon.runtime;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sandbox.PrivilegeKernel;
import io.sluice.abi.sandbox.ProcessCapability;
import io.sluice.abi.sandbox.RealPrivilegeKernel;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.management.OperationsException;

/**
 * The privileges of the daemon's process, of which it keeps what it needs. They are a thread's, and
 * a Java has many threads when its program begins: so one thread gives up what is too much and
 * becomes the same program again, with the same process id, arguments, environment and descriptors.
 * All threads of that, and all programs that it starts, have what this one had left.
 */
public final class Privileges {
  /**
   * All that a daemon needs of root's rights: to give a socket to a group that it is not in, to use
   * files and sockets of other users, such as a machine's monitor, and to listen at a port below
   * 1024.
   */
  static final long KEPT =
      ProcessCapability.CHOWN.bit()
          | ProcessCapability.DAC_OVERRIDE.bit()
          | ProcessCapability.NET_BIND_SERVICE.bit();

  /** In the environment of the second start: there is no third. */
  static final String MARK = "SLUICED_PRIVILEGES=reduced";

  private static final int STANDARD_ERROR = 2;

  private static final String FAILED = "the daemon cannot give up privileges";

  private final Path processes;
  private final Path java;
  private final PrivilegeKernel kernel;

  /**
   * @param processes {@code /proc}
   * @param java the directory of Java's own files
   */
  Privileges(Path processes, Path java, PrivilegeKernel kernel) {
    this.processes = processes;
    this.java = java;
    this.kernel = kernel;
  }

  /** Those of this process. */
  public static Privileges ofThisProcess() {
    return new Privileges(
        Path.of("/proc"), Path.of(System.getProperty("java.home")), new RealPrivilegeKernel());
  }

  /**
   * Returns in a process that has no more than it needs; one that has more starts again.
   *
   * @throws OperationsException when it cannot; its message is a {@link Problem}
   */
  public void reduce() throws OperationsException {
    try {
      HeldPrivileges held =
          HeldPrivileges.parse(Files.readAllLines(processes.resolve("thread-self/status")));
      if (!held.exceed(KEPT)) {
        return;
      }
      List<byte[]> environment = texts("environ");
      byte[] mark = MARK.getBytes(StandardCharsets.UTF_8);
      if (environment.stream().anyMatch(each -> Arrays.equals(each, mark))) {
        throw refused("it was started again without them, and has them");
      }
      environment.add(mark);
      Path program = Files.readSymbolicLink(processes.resolve("self/exe"));
      List<byte[]> arguments = texts("cmdline");
      closeJavasFiles();
      giveUp(held);
      kernel.become(program, arguments, environment);
    } catch (IOException | SyscallException e) {
      throw refused(e.toString());
    }
  }

  private void giveUp(HeldPrivileges held) {
    try {
      for (int capability = 0; capability < Long.SIZE; capability++) {
        if ((held.bounding() & ~KEPT & 1L << capability) != 0) {
          kernel.dropBound(capability);
        }
      }
    } catch (SyscallException e) {
      if (!e.is(Errno.EPERM)) { // without CAP_SETPCAP the next two suffice
        throw e;
      }
    }
    kernel.setCapabilities(held.permitted() & KEPT, held.inheritable() & KEPT);
    kernel.forbidNewPrivileges();
  }

  /**
   * Java leaves one file of its own open for whatever is executed, and opens it again; and so do
   * agents of it with the sockets at which they listen. Its own threads open and close others
   * meanwhile: one that is gone needs nothing.
   */
  private void closeJavasFiles() throws IOException {
    Path real = java.toRealPath();
    List<Path> descriptors;
    try (Stream<Path> all = Files.list(processes.resolve("self/fd"))) {
      descriptors = all.toList();
    }
    for (Path descriptor : descriptors) {
      int number = Integer.parseInt(String.valueOf(descriptor.getFileName()));
      try {
        if (isJavas(number, Files.readSymbolicLink(descriptor), real)) {
          kernel.closeOnExec(number);
        }
      } catch (NoSuchFileException | NotLinkException _) {
        // gone since it was listed, or none
      } catch (SyscallException e) {
        if (!e.is(Errno.EBADF)) { // gone since it was read
          throw e;
        }
      }
    }
  }

  private static boolean isJavas(int descriptor, Path what, Path java) {
    boolean isSocket = what.toString().startsWith("socket:");
    return what.startsWith(java) || isSocket && descriptor > STANDARD_ERROR;
  }

  /** Texts of a file of the kernel's, each of which a zero ends. */
  private List<byte[]> texts(String file) throws IOException {
    byte[] all = Files.readAllBytes(processes.resolve("self").resolve(file));
    List<byte[]> texts = new ArrayList<>();
    int begin = 0;
    for (int i = 0; i < all.length; i++) {
      if (all[i] == 0) {
        texts.add(Arrays.copyOfRange(all, begin, i));
        begin = i + 1;
      }
    }
    return texts;
  }

  private static OperationsException refused(String cause) {
    return Problem.of(
            ErrorCode.DAEMON_PRIVILEGES,
            FAILED,
            cause,
            "start it as an ordinary user, or by setpriv --bounding-set=-all --inh-caps=-all")
        .exception();
  }
}
