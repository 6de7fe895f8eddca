package io.sluice.daemon.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sandbox.PrivilegeKernel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.OperationsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is given up, and when; SluicedProcessTest has a daemon that does. */
final class PrivilegesTest {
  private static final String ALL = "000001ffffffffff";
  private static final String NONE = "0000000000000000";
  private static final String NEEDED = "0000000000000403";
  private static final String ROOT = "0\t0\t0\t0";
  private static final String USER = "1000\t1000\t1000\t1000";

  @TempDir private Path dir;
  private final RecordingKernel kernel = new RecordingKernel();

  /** A kernel that gives nothing up and remembers what was asked. */
  private static final class RecordingKernel implements PrivilegeKernel {
    final List<String> asked = new ArrayList<>();
    String refuses = "";
    int errno;
    List<Path> vanish = List.of(); // with the first descriptor that is closed

    private void ask(String call, String arguments) {
      if (call.equals(refuses)) {
        throw new SyscallException(call, arguments, errno);
      }
      asked.add(call + " " + arguments);
    }

    @Override
    public void dropBound(int capability) {
      ask("bound", Integer.toString(capability));
    }

    @Override
    public void setCapabilities(long permitted, long inheritable) {
      ask("set", Long.toHexString(permitted) + " " + Long.toHexString(inheritable));
    }

    @Override
    public void forbidNewPrivileges() {
      ask("forbid", "");
    }

    @Override
    public void closeOnExec(int descriptor) {
      for (Path each : vanish) {
        assertThat(each.getFileName().toString().equals("" + descriptor) || each.toFile().delete())
            .isTrue();
      }
      vanish = List.of();
      ask("close", Integer.toString(descriptor));
    }

    @Override
    public void become(Path program, List<byte[]> arguments, List<byte[]> environment) {
      ask("become", program + " " + texts(arguments) + " " + texts(environment));
    }

    private static List<String> texts(List<byte[]> texts) {
      return texts.stream().map(each -> new String(each, StandardCharsets.ISO_8859_1)).toList();
    }
  }

  @BeforeEach
  void makeProcess() throws IOException {
    Files.createDirectories(dir.resolve("java/lib"));
    Files.createDirectories(dir.resolve("thread-self"));
    Files.createDirectories(dir.resolve("self/fd"));
    Files.createSymbolicLink(dir.resolve("self/exe"), Path.of("/opt/java/bin/java"));
    write("self/cmdline", "java\0-c\0\0a\u00ffb\0");
    write("self/environ", "A=1\0B=\0");
  }

  private void write(String file, String text) throws IOException {
    Files.write(dir.resolve(file), text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private void status(String users, String permitted, String bounding, int noNewPrivileges)
      throws IOException {
    status(users, NONE, permitted, permitted, bounding, NONE, noNewPrivileges);
  }

  private void status(
      String users,
      String inheritable,
      String permitted,
      String effective,
      String bounding,
      String ambient,
      int noNewPrivileges)
      throws IOException {
    write(
        "thread-self/status",
        """
        Name:\tjava
        Uid:\t%s
        CapInh:\t%s
        CapPrm:\t%s
        CapEff:\t%s
        CapBnd:\t%s
        CapAmb:\t%s
        NoNewPrivs:\t%d
        """
            .formatted(
                users, inheritable, permitted, effective, bounding, ambient, noNewPrivileges));
  }

  private void reduce() throws OperationsException, IOException {
    new Privileges(dir, dir.resolve("java"), kernel).reduce();
  }

  @Test
  void reduce_startedAgainAndStillWithMore_isRefused() throws IOException {
    status(ROOT, ALL, ALL, 1);
    write("self/environ", "A=1\0" + Privileges.MARK + "\0");

    assertThatThrownBy(this::reduce).hasMessageContaining("SLU-DAEMON-007");
    assertThat(kernel.asked).isEmpty();
  }

  @Test
  void reduce_statusWithoutCapabilities_isRefused() throws IOException {
    write("thread-self/status", "Name:\tjava\nUid:\t0\t0\t0\t0\n");

    assertThatThrownBy(this::reduce).hasMessageContaining("no CapPrm");
  }

  @Test
  void reduce_statusThatIsNoNumber_isRefused() throws IOException {
    status(ROOT, "all", ALL, 0);

    assertThatThrownBy(this::reduce).hasMessageContaining("CapPrm");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bound", "set", "forbid", "become"})
  void reduce_callThatFails_isRefusedAndNothingFollows(String call) throws IOException {
    status(ROOT, ALL, ALL, 0);
    kernel.refuses = call;
    kernel.errno = Errno.EINVAL.number();

    assertThatThrownBy(this::reduce)
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-DAEMON-007")
        .hasMessageContaining("EINVAL");
    assertThat(kernel.asked).noneMatch(each -> each.startsWith("become"));
  }

  @Test
  void reduce_boundingSetThatMayNotShrink_goesOnWithoutNewPrivileges() throws Exception {
    status(ROOT, ALL, ALL, 0);
    kernel.refuses = "bound";
    kernel.errno = Errno.EPERM.number();

    reduce();

    assertThat(kernel.asked).element(0).isEqualTo("set 403 0");
    assertThat(kernel.asked).element(1).isEqualTo("forbid ");
    assertThat(kernel.asked).element(2).asString().startsWith("become");
  }

  @Test
  void reduce_ordinaryUser_doesNothing() throws Exception {
    status(USER, NONE, ALL, 0);

    reduce();

    assertThat(kernel.asked).isEmpty();
  }

  @Test
  void reduce_rootWithWhatIsNeeded_doesNothing() throws Exception {
    status(ROOT, NEEDED, NEEDED, 0);

    reduce();

    assertThat(kernel.asked).isEmpty();
  }

  @Test
  void reduce_rootWhosePrivilegesCannotComeBack_doesNothing() throws Exception {
    status(ROOT, NEEDED, ALL, 1);

    reduce();

    assertThat(kernel.asked).isEmpty();
  }

  @Test
  void reduce_root_givesUpThenStartsAgainAsItWas() throws Exception {
    status(ROOT, ALL, "0000000001200403", 0);

    reduce();

    assertThat(kernel.asked)
        .containsExactly(
            "bound 21",
            "bound 24",
            "set 403 0",
            "forbid ",
            "become /opt/java/bin/java [java, -c, , a\u00ffb] [A=1, B=, " + Privileges.MARK + "]");
  }

  @Test
  void reduce_rootWhosePrivilegesCouldComeBack_startsAgain() throws Exception {
    status(ROOT, NONE, ALL, 0);

    reduce();

    assertThat(kernel.asked).contains("set 0 0", "forbid ");
  }

  @Test
  void reduce_userWithInheritableAndAmbient_keepsWhatIsNeededOfThem() throws Exception {
    String some = "0000000000200001";
    status(USER, some, some, some, ALL, some, 1);

    reduce();

    assertThat(kernel.asked).contains("set 1 1");
  }

  @Test
  void reduce_descriptorsThatAreGoneSinceTheyWereListed_areLeftOut() throws Exception {
    status(ROOT, ALL, ALL, 0);
    Path own = Files.createFile(dir.resolve("java/lib/modules")).toRealPath();
    List<Path> links = List.of(dir.resolve("self/fd/3"), dir.resolve("self/fd/4"));
    for (Path link : links) {
      Files.createSymbolicLink(link, own);
    }
    kernel.vanish = links;

    reduce();

    assertThat(kernel.asked).filteredOn(each -> each.startsWith("close")).hasSize(1);
    assertThat(kernel.asked).last().asString().startsWith("become");
  }

  @Test
  void reduce_descriptorThatIsGoneSinceItWasRead_isLeftOut() throws Exception {
    status(ROOT, ALL, ALL, 0);
    Path own = Files.createFile(dir.resolve("java/lib/modules")).toRealPath();
    Files.createSymbolicLink(dir.resolve("self/fd/3"), own);
    kernel.refuses = "close";
    kernel.errno = Errno.EBADF.number();

    reduce();

    assertThat(kernel.asked).last().asString().startsWith("become");
  }

  @Test
  void reduce_javasOwnFilesAndSockets_areClosedAndNoOthers() throws Exception {
    status(ROOT, ALL, ALL, 0);
    Path own = Files.createFile(dir.resolve("java/lib/modules")).toRealPath();
    Files.createSymbolicLink(dir.resolve("self/fd/3"), own);
    Files.createSymbolicLink(dir.resolve("self/fd/4"), Path.of("/dev/null"));
    Files.createSymbolicLink(dir.resolve("self/fd/5"), Path.of("pipe:[1]"));
    Files.createSymbolicLink(dir.resolve("self/fd/6"), Path.of("socket:[2]")); // an agent's
    Files.createSymbolicLink(dir.resolve("self/fd/1"), Path.of("socket:[3]")); // the journal's

    reduce();

    assertThat(kernel.asked)
        .contains("close 3", "close 6")
        .doesNotContain("close 4", "close 5", "close 1");
  }
}
