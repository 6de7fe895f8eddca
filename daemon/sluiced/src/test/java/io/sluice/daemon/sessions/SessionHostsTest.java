package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.SluicedInstance;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.remoting.control.ControlLink;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServerFactory;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon with the real kernel, and session hosts as processes of their own. */
final class SessionHostsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int HELLO_BYTES = 32;
  private static final int MAGIC = 0x53414c53;
  private static final short UNKNOWN_API = 99;

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private SluicedInstance daemon;

  @SuppressWarnings("NullAway.Init")
  private SessionsMXBean sessions;

  @BeforeEach
  void start() throws Exception {
    ConfigLoader loader = new ConfigLoader(Map.of(), Map.of());
    write("");
    daemon =
        SluicedInstance.start(
            loader.load(file()),
            () -> loader.load(file()),
            kernel,
            MBeanServerFactory.newMBeanServer());
    sessions = daemon.sessions();
  }

  private Path file() {
    return dir.resolve("sluice.toml");
  }

  private void write(String more) throws Exception {
    Path _ =
        Files.writeString(
            file(),
            """
            [daemon]
            run-dir = "%1$s/run"
            state-dir = "%1$s/state"
            [gpu.embedded]
            vram = "64MiB"
            [sessions]
            sandbox = "best-effort"
            session-limit = "2"
            module-path = "%2$s"
            [[guest]]
            name = "a"
            opencl = true
            [[guest]]
            name = "b"
            """
                    .formatted(dir, modules())
                + more);
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  /** Where the modules of a session host are, whichever path of this process has them. */
  private static String modules() throws ClassNotFoundException {
    return Stream.of(
            RealKernel.class,
            ControlLink.class,
            Class.forName("io.sluice.remoting.session.SessionLink"),
            Class.forName("io.sluice.remoting.opencl.OpenClApi"),
            Class.forName("io.sluice.remoting.host.SessionHost"),
            Class.forName("org.slf4j.LoggerFactory"),
            Class.forName("tools.jackson.core.json.JsonFactory"))
        .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
        .map(path -> path.replaceFirst("/$", ""))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private SessionHostStatus host() {
    return host("a");
  }

  private SessionHostStatus host(String guest) {
    return Objects.requireNonNull(sessions.getHosts().get(guest));
  }

  private SessionHostStatus awaitServing(long starts) {
    return awaitServing("a", starts);
  }

  private SessionHostStatus awaitServing(String guest, long starts) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            host(guest).starts() >= starts
                && host(guest).state().equals(SessionHostStatus.SERVING));
    return host(guest);
  }

  private Fd connect() {
    return connect("a");
  }

  private Fd connect(String guest) {
    return kernel.connect(dir.resolve("run/" + guest + ".sock.api"));
  }

  /** What a guest's session hosts have compiled, and what they have open. */
  private Stream<Path> kept(String guest) throws IOException {
    try (Stream<Path> all = Files.walk(dir.resolve("state"))) {
      return all.filter(path -> path.getFileName().toString().equals(guest)).toList().stream();
    }
  }

  private void isServed(String guest) {
    ProcessHandle process = ProcessHandle.of(awaitServing(guest, 1).pid()).orElseThrow();
    assertThat(process.isAlive()).isTrue();
    try (Fd connection = connect(guest)) {
      assertThat(hello(connection)).hasValue(Errno.EOPNOTSUPP.number());
    }
    await().atMost(PATIENCE).until(() -> host(guest).sessions() == 0);
  }

  /**
   * The errno of the answer to a hello for an API that nobody has; none when there is no answer.
   */
  private Optional<Integer> hello(Fd connection) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(HELLO_BYTES, Long.BYTES);
      message.set(ValueLayout.JAVA_INT, 0, MAGIC);
      message.set(ValueLayout.JAVA_SHORT, 4, (short) 1);
      message.set(ValueLayout.JAVA_SHORT, 6, UNKNOWN_API);
      message.set(ValueLayout.JAVA_LONG, 8, 1 << 20);
      kernel.sendmsg(connection, message, List.of());
      return answer(connection);
    }
  }

  private Optional<Integer> answer(Fd connection) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(HELLO_BYTES, Long.BYTES);
      long bytes = kernel.recvmsg(connection, message, new FdList());
      if (bytes != HELLO_BYTES) {
        return Optional.empty();
      }
      assertThat(message.get(ValueLayout.JAVA_INT, 0)).isEqualTo(MAGIC);
      return Optional.of((int) message.get(ValueLayout.JAVA_SHORT, 6));
    }
  }

  @Test
  void guest_withoutOpenCl_hasNoSessions() {
    assertThat(dir.resolve("run/b.sock.api")).doesNotExist();
    assertThat(sessions.getHosts()).containsOnlyKeys("a");
    assertThatThrownBy(() -> sessions.list("b"))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-SES-010");
  }

  @Test
  void stranger_atTheDoorOfSessionHosts_isTurnedAway() {
    try (Fd connection = kernel.connect(dir.resolve("state/session-hosts.sock"))) {
      assertThat(answer(connection)).isEmpty();
    }
  }

  @Test
  void application_thatConnects_isAnswered() {
    try (Fd connection = connect()) {
      assertThat(hello(connection)).hasValue(Errno.EOPNOTSUPP.number());
    }
    assertThat(host().state()).isEqualTo(SessionHostStatus.SERVING);
    assertThat(host().sandbox()).contains("seccomp");
  }

  /** Else what it sends to itself, and leaves there, would keep the daemon from sending any. */
  @Test
  void host_mayHaveHalfAsManyDescriptorsAsTheDaemon() throws Exception {
    long pid = awaitServing(1).pid();
    long own = openFiles(ProcessHandle.current().pid());
    assertThat(openFiles(pid)).isEqualTo(own / 2);
  }

  /** The hard limit. */
  private static long openFiles(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits")).stream()
        .filter(line -> line.startsWith("Max open files"))
        .mapToLong(line -> Long.parseLong(line.split(" {2,}", -1)[2]))
        .sum();
  }

  @Test
  void hostKilled_anotherServesAtTheSameSocket() {
    SessionHostStatus first = awaitServing(1);

    ProcessHandle process = ProcessHandle.of(first.pid()).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();

    try (Fd connection = connect()) { // waits in the backlog, whichever host takes it
      assertThat(awaitServing(2).pid()).isNotEqualTo(first.pid());
      assertThat(hello(connection)).hasValue(Errno.EOPNOTSUPP.number());
    }
    assertThat(host().reason()).isEqualTo("its process ended");
  }

  @Test
  void hostThatStarts_isAskedMeanwhile_servesAllTheSame() throws Exception {
    SessionHostStatus first = awaitServing(1);
    ProcessHandle.of(first.pid()).orElseThrow().destroyForcibly();

    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() ->
            sessions.list("a").isEmpty()
                && host().starts() > first.starts()
                && host().state().equals(SessionHostStatus.SERVING));

    assertThat(host().starts()).isEqualTo(first.starts() + 1);
    try (Fd connection = connect()) {
      assertThat(hello(connection)).contains(Errno.EOPNOTSUPP.number());
    }
  }

  @Test
  void sessions_areListedLimitedAndEnded() throws Exception {
    awaitServing(1);
    try (Fd one = connect();
        Fd two = connect()) {
      await().atMost(PATIENCE).until(() -> sessions.list("a").size() == 2);
      List<SessionStatus> listed = sessions.list("");
      assertThat(listed).extracting(SessionStatus::number).containsExactlyInAnyOrder(1L, 2L);
      assertThat(listed)
          .extracting(SessionStatus::pid)
          .containsOnly((int) ProcessHandle.current().pid());
      assertThat(host().sessions()).isEqualTo(2);
      try (Fd three = connect()) {
        assertThat(answer(three)).hasValue(Errno.EDQUOT.number());
      }

      sessions.end("a", 1);
      sessions.end("a", 2);

      // An application that has not said hello is answered that none came, or not at all.
      assertThat(answer(one).orElse(Errno.ETIMEDOUT.number())).isEqualTo(Errno.ETIMEDOUT.number());
      assertThat(answer(two).orElse(Errno.ETIMEDOUT.number())).isEqualTo(Errno.ETIMEDOUT.number());
      await().atMost(PATIENCE).until(() -> sessions.list("a").isEmpty());
      assertThatThrownBy(() -> sessions.end("a", 1))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-SES-011");
      sessions.limit("a", 1, null);
      try (Fd four = connect()) {
        await().atMost(PATIENCE).until(() -> sessions.list("a").size() == 1);
        try (Fd five = connect()) {
          assertThat(answer(five)).hasValue(Errno.EDQUOT.number());
        }
        assertThat(four.isOpen()).isTrue();
      }
    }
    assertThatThrownBy(() -> sessions.limit("a", 0, null))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-SES-013");
  }

  @Test
  void guest_thatIsClonedAndDestroyed_hasSessionsMeanwhile() throws Exception {
    daemon.daemon().cloneGuest("a", "copy", "");
    isServed("copy");
    assertThat(kept("copy")).isNotEmpty();
    ProcessHandle process = ProcessHandle.of(host("copy").pid()).orElseThrow();

    daemon.daemon().destroyGuest("copy", false);

    assertThat(process.isAlive()).isFalse();
    assertThat(sessions.getHosts()).containsOnlyKeys("a");
    assertThat(dir.resolve("run/copy.sock.api")).doesNotExist();
    assertThat(kept("copy")).as("the next of that name has nothing of it").isEmpty();
    isServed("a");
  }

  @Test
  void guest_thatAReloadBrings_hasSessions() throws Exception {
    write("[[guest]]\nname = \"c\"\nopencl = true\n");
    assertThat(daemon.daemon().reload())
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactly(tuple("guest.c", ReloadedSetting.NOW));
    isServed("c");

    write("");
    assertThat(daemon.daemon().reload())
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactly(tuple("guest.c", ReloadedSetting.NOW));
    assertThat(sessions.getHosts()).containsOnlyKeys("a");
  }

  /** Nothing is attached to its device, and yet a program computes. */
  @Test
  void guest_thatHasASession_isInUse() throws Exception {
    write("[[guest]]\nname = \"c\"\nopencl = true\n");
    assertThat(daemon.daemon().reload()).hasSize(1);
    daemon.daemon().cloneGuest("c", "copy", "");
    awaitServing("c", 1);
    awaitServing("copy", 1);
    write("");
    try (Fd one = connect("c");
        Fd two = connect("copy")) {
      await().atMost(PATIENCE).until(() -> host("c").sessions() + host("copy").sessions() == 2);

      assertThat(daemon.daemon().reload())
          .extracting(ReloadedSetting::setting, ReloadedSetting::effect, ReloadedSetting::reason)
          .containsExactly(tuple("guest.c", ReloadedSetting.NEXT_START, "its GPU is in use"));
      assertThatThrownBy(() -> daemon.daemon().destroyGuest("copy", false))
          .hasMessageContaining("SLU-GUEST-004")
          .hasMessageContaining("copy (1 session)");
      assertThatThrownBy(() -> daemon.daemon().shutdown(false))
          .hasMessageContaining("SLU-CTL-008")
          .hasMessageContaining("c (1 session), copy (1 session)");
      assertThat(host("c").sessions() + host("copy").sessions()).isEqualTo(2);
      assertThat(one.isOpen() && two.isOpen()).isTrue();
    }
    await().atMost(PATIENCE).until(() -> host("c").sessions() == 0);
    assertThat(daemon.daemon().reload())
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactly(tuple("guest.c", ReloadedSetting.NOW));
  }

  @Test
  void guest_whoseSessionSocketCannotBeMade_isNotThere() throws Exception {
    Path inTheWay = Files.createDirectory(dir.resolve("run/copy.sock.api"));
    assertThatThrownBy(() -> daemon.daemon().cloneGuest("a", "copy", ""))
        .isInstanceOf(OperationsException.class);
    assertThat(daemon.daemon().getGuests()).containsOnlyKeys("a", "b");
    assertThat(sessions.getHosts()).containsOnlyKeys("a");
    Files.delete(inTheWay);
    daemon.daemon().cloneGuest("a", "copy", "");
    isServed("copy");
  }

  @Test
  void stop_serving_leavesNothing() {
    ProcessHandle process = ProcessHandle.of(awaitServing(1).pid()).orElseThrow();

    daemon.close();

    assertThat(process.isAlive()).isFalse();
    assertThat(dir.resolve("run")).isEmptyDirectory();
    assertThat(dir.resolve("state/session-hosts.sock")).doesNotExist();
  }

  @Test
  void stop_beforeItServes_leavesNothing() {
    daemon.close();

    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(dir.resolve("run")).isEmptyDirectory();
  }
}
