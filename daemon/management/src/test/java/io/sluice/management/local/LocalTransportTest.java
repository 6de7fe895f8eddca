package io.sluice.management.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.management.Problem;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.OperationsException;
import javax.security.auth.Subject;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalTransportTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  static {
    // RMI keeps a client's connections 15 s for reuse; read once, when RMI is first used.
    System.setProperty("sun.rmi.transport.connectionTimeout", "100");
  }

  @TempDir private Path dir;
  private Path path;
  private MBeanServer beans;
  private ObjectName name;

  /** What a caller sees of a bean with the types that ours use. */
  public interface SampleMXBean {
    Map<String, Row> getTable();

    String whoAmI();

    void refuse() throws OperationsException;
  }

  /** A row. */
  public record Row(int id, List<String> words) {}

  private static final class Sample implements SampleMXBean {
    @Override
    public Map<String, Row> getTable() {
      return new TreeMap<>(Map.of("a", new Row(1, List.of("x", "y")), "b", new Row(2, List.of())));
    }

    @Override
    public String whoAmI() {
      Subject subject = Subject.current();
      return subject == null ? "nobody" : subject.getPrincipals().iterator().next().getName();
    }

    @Override
    public void refuse() throws OperationsException {
      throw new Problem("SLU-TEST-001", "refused", "because", "do not").exception();
    }
  }

  @BeforeEach
  void makeServer() throws Exception {
    path = dir.resolve("control");
    beans = MBeanServerFactory.newMBeanServer();
    name = new ObjectName("io.sluice:type=Sample");
    beans.registerMBean(new Sample(), name);
  }

  @Test
  void open_noSocket_saysSo() {
    assertThatThrownBy(() -> LocalConnection.open(path))
        .isInstanceOfSatisfying(
            LocalConnectException.class,
            e -> {
              assertThat(e.problem().code()).isEqualTo("SLU-CTL-001");
              assertThat(e.problem().what()).isEqualTo("cannot reach sluiced at " + path);
              assertThat(e.isPermission()).isFalse();
            });
  }

  @Test
  void open_nobodyListens_saysSo() throws IOException {
    leaveStaleSocket();

    assertThatThrownBy(() -> LocalConnection.open(path))
        .isInstanceOfSatisfying(
            LocalConnectException.class,
            e -> assertThat(e.problem().code()).isEqualTo("SLU-CTL-002"));
  }

  @Test
  void open_anotherProgramListens_saysSo() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(path));
      Thread answer =
          Thread.ofPlatform()
              .start(() -> {
                try (var connection = other.accept()) {
                  connection.write(
                      StandardCharsets.UTF_8.encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });

      assertThatThrownBy(() -> LocalConnection.open(path))
          .isInstanceOfSatisfying(
              LocalConnectException.class,
              e -> assertThat(e.problem().code()).isEqualTo("SLU-CTL-003"));
      answer.join();
    }
  }

  @Test
  void open_callerNotPermitted_isToldWhoMay() throws Exception {
    UserPrincipal other =
        FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    PeerPolicy policy = new PeerPolicy(other, other, null, dir.resolve("none"));

    HeardRefusals refusals = new HeardRefusals();
    try (var _ = LocalConnectorServer.start(path, policy, beans, refusals)) {
      assertThatThrownBy(() -> LocalConnection.open(path))
          .isInstanceOfSatisfying(
              LocalConnectException.class,
              e -> {
                assertThat(e.isPermission()).isTrue();
                assertThat(e.problem().cause()).contains("permitted are user nobody");
              });
    }
    assertThat(refusals.heard())
        .singleElement()
        .asString()
        .contains("user " + System.getProperty("user.name"), "permitted are user nobody");
  }

  @Test
  void start_pathTakenByALiveDaemon_refuses() throws Exception {
    try (var _ = start()) {
      assertThatThrownBy(this::start)
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-DAEMON-002");
      assertThat(callTable()).isNotEmpty();
    }
  }

  @Test
  void start_pathIsAFile_refusesAndLeavesIt() throws IOException {
    Files.writeString(path, "mine");

    assertThatThrownBy(this::start)
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-DAEMON-003");
    assertThat(path).hasContent("mine");
  }

  @Test
  void start_pathTooLong_refuses() {
    Path far = dir.resolve("x".repeat(SocketFile.MAX_PATH_BYTES));

    assertThatThrownBy(() -> LocalConnectorServer.start(far, PeerPolicy.owner(), beans))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("the kernel takes 107");
  }

  @Test
  void invoke_argumentOfAnotherClass_isNotDeserialized() throws Exception {
    try (var _ = start();
        LocalConnection connection = LocalConnection.open(path)) {
      assertThatThrownBy(() ->
              connection
                  .beans()
                  .invoke(
                      name,
                      "whoAmI",
                      new Object[] {new File("/")},
                      new String[] {File.class.getName()}))
          .hasStackTraceContaining("filter status: REJECTED");
    }
  }

  @Test
  void accept_clientThatSaysNothing_holdsUpNobody() throws Exception {
    try (var _ = start();
        ChannelSocket silent = ChannelSocket.connect(path)) {
      assertThat(silent.isConnected()).isTrue();
      assertThat(callTable()).hasSize(2);
    }
  }

  @Test
  void accept_clientThatSaysNonsense_isDropped() throws Exception {
    try (var _ = start();
        ChannelSocket socket = ChannelSocket.connect(path)) {
      LocalClientSocketFactory.greeting(socket);
      OutputStream out = socket.getOutputStream();
      out.write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      assertThat(callTable()).hasSize(2);
    }
  }

  @Test
  void accept_moreThanTheMostConnections_refuses() throws Exception {
    List<ChannelSocket> many = new ArrayList<>();
    try (var _ = start()) {
      for (int i = 0; i < ChannelServerSocket.MAX_CONNECTIONS; i++) {
        ChannelSocket socket = ChannelSocket.connect(path);
        many.add(socket);
        LocalClientSocketFactory.greeting(socket);
      }
      assertThatThrownBy(() -> LocalConnection.open(path))
          .isInstanceOf(LocalConnectException.class)
          .hasMessageContaining("64 connections");
    } finally {
      for (ChannelSocket socket : many) {
        socket.close();
      }
    }
  }

  @Test
  void start_staleSocket_replacesIt() throws Exception {
    leaveStaleSocket();

    try (var _ = start()) {
      assertThat(callTable()).hasSize(2);
    }
  }

  @Test
  void call_attributesAndOperations_work() throws Exception {
    try (var _ = start();
        LocalConnection connection = LocalConnection.open(path)) {
      SampleMXBean sample = JMX.newMXBeanProxy(connection.beans(), name, SampleMXBean.class);

      assertThat(sample.getTable())
          .containsEntry("a", new Row(1, List.of("x", "y")))
          .containsEntry("b", new Row(2, List.of()));
      assertThat(sample.whoAmI()).isEqualTo(Files.getOwner(Path.of("/proc/self")).getName());
      assertThatThrownBy(sample::refuse)
          .isInstanceOfSatisfying(
              OperationsException.class,
              e ->
                  assertThat(Problem.parse(e.getMessage()))
                      .contains(new Problem("SLU-TEST-001", "refused", "because", "do not")));
    }
  }

  @Test
  void start_socketFile_isForTheOwnerOnly() throws Exception {
    try (var _ = start()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-------");
      try (Stream<Path> files = Files.list(dir)) {
        assertThat(files).containsExactly(path);
      }
    }
    assertThat(path).doesNotExist();
  }

  @Test
  void start_group_mayReadAndWrite() throws Exception {
    String group = Files.readAttributes(dir, PosixFileAttributes.class).group().getName();

    try (var _ = LocalConnectorServer.start(path, PeerPolicy.group(group), beans)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-rw----");
      assertThat(callTable()).hasSize(2);
    }
  }

  @Test
  void serve_connectionsInUse_noNetworkListener() throws Exception {
    try (var _ = start();
        LocalConnection connection = LocalConnection.open(path)) {
      assertThat(connection.beans().getMBeanCount()).isPositive();

      assertThat(listeningInternetSockets()).isEmpty();
    }
  }

  @Test
  void close_usedOften_leavesNoDescriptor() throws Exception {
    cycle(); // opens what the JDK keeps for good, one socket among it
    Awaitility.await().atMost(PATIENCE).until(() -> socketDescriptors().size() == 1);
    int before = openDescriptors();

    for (int i = 0; i < 5; i++) {
      cycle();
    }

    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(openDescriptors()).isEqualTo(before));
  }

  private void cycle() throws Exception {
    LocalConnectorServer server = start();
    LocalConnection connection = LocalConnection.open(path);
    assertThat(connection.beans().getMBeanCount()).isPositive();
    connection.close();
    server.close();
  }

  private Map<String, Row> callTable() throws IOException {
    try (LocalConnection connection = LocalConnection.open(path)) {
      return JMX.newMXBeanProxy(connection.beans(), name, SampleMXBean.class).getTable();
    }
  }

  private LocalConnectorServer start() throws Exception {
    return LocalConnectorServer.start(path, PeerPolicy.owner(), beans);
  }

  private void leaveStaleSocket() throws IOException {
    try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(path));
    }
  }

  private static int openDescriptors() throws IOException {
    try (Stream<Path> fds = Files.list(Path.of("/proc/self/fd"))) {
      return (int) fds.count();
    }
  }

  private static Set<String> socketDescriptors() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> fds = Files.list(Path.of("/proc/self/fd"))) {
      for (Path fd : fds.toList()) {
        String target;
        try {
          target = Files.readSymbolicLink(fd).toString();
        } catch (IOException _) {
          continue; // the listing's own descriptor
        }
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      }
    }
    return inodes;
  }

  /** Lines of /proc/self/net/tcp* in state LISTEN (0A), and of udp*, whose inode is ours. */
  private static List<String> listeningInternetSockets() throws IOException {
    assertThat(ManagementFactory.getRuntimeMXBean().getPid()).isPositive();
    Set<String> ours = socketDescriptors();
    assertThat(ours).as("the control socket itself").isNotEmpty();
    List<String> found = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6", "udp", "udp6", "raw", "raw6")) {
      Path file = Path.of("/proc/self/net", table);
      if (!Files.exists(file)) {
        continue;
      }
      found.addAll(
          Files.readAllLines(file).stream()
              .skip(1)
              .map(line -> line.trim().split("\\s+"))
              .filter(fields -> ours.contains(fields[9]))
              .map(fields -> table + " " + fields[1] + " state " + fields[3])
              .collect(Collectors.toList()));
    }
    return found;
  }
}
