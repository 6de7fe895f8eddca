package io.sluice.management.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.management.ObjectNames;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.MBeanServerForwarder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may control the daemon does not become it, on the beans of a real JVM. */
final class BeanAccessTest {
  @TempDir private Path dir;
  private final HeardRefusals refusals = new HeardRefusals();
  private final MBeanServerForwarder beans = BeanAccess.forwarder(refusals);

  @BeforeEach
  void forward() {
    beans.setMBeanServer(ManagementFactory.getPlatformMBeanServer());
  }

  private static ObjectName bean(String name) throws Exception {
    return new ObjectName(name);
  }

  @Test
  void invoke_diagnosticCommands_isRefused() throws Exception {
    ObjectName commands = bean("com.sun.management:type=DiagnosticCommand");
    assertThat(beans.isRegistered(commands)).isTrue();
    assertThatThrownBy(() ->
            beans.invoke(
                commands,
                "jvmtiAgentLoad",
                new Object[] {new String[] {dir.resolve("agent.so").toString()}},
                new String[] {String[].class.getName()}))
        .isInstanceOf(SecurityException.class)
        .hasMessageContaining("invoke is not for callers of this socket");
  }

  @Test
  void invoke_heapDump_isRefusedAndWritesNothing() throws Exception {
    ObjectName diagnostic = bean("com.sun.management:type=HotSpotDiagnostic");
    assertThatThrownBy(() ->
            beans.invoke(
                diagnostic,
                "dumpHeap",
                new Object[] {dir.resolve("heap.hprof").toString(), true},
                new String[] {"java.lang.String", "boolean"}))
        .isInstanceOf(SecurityException.class);
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void createAndRegister_anything_isRefused() throws Exception {
    ObjectName name = bean("io.sluice:type=Evil");
    assertThatThrownBy(() -> beans.createMBean("javax.management.timer.Timer", name))
        .isInstanceOf(SecurityException.class);
    assertThatThrownBy(() -> beans.registerMBean(new Object(), name))
        .isInstanceOf(SecurityException.class);
    assertThatThrownBy(() -> beans.instantiate("java.lang.Object"))
        .isInstanceOf(SecurityException.class);
    assertThatThrownBy(() -> beans.unregisterMBean(bean("java.lang:type=Memory")))
        .isInstanceOf(SecurityException.class);
  }

  @Test
  void setAttribute_ofTheJvm_isRefused() throws Exception {
    assertThatThrownBy(
            () -> beans.setAttribute(bean("java.lang:type=Memory"), new Attribute("Verbose", true)))
        .isInstanceOf(SecurityException.class);
  }

  @Test
  void refusals_ofAnyKind_areHeard() throws Exception {
    ObjectName memory = bean("java.lang:type=Memory");
    assertThatThrownBy(() -> beans.invoke(memory, "gc", new Object[0], new String[0]))
        .isInstanceOf(SecurityException.class);
    ObjectName ours = bean("io.sluice:type=Missing");
    assertThatThrownBy(() -> beans.invoke(ours, "stop", new Object[0], new String[0]))
        .isInstanceOf(InstanceNotFoundException.class);
    assertThatThrownBy(() -> beans.setAttribute(ours, new Attribute("A", true)))
        .isInstanceOf(InstanceNotFoundException.class);
    assertThatThrownBy(() -> beans.getAttribute(ours, "A"))
        .isInstanceOf(InstanceNotFoundException.class);

    assertThat(refusals.heard())
        .containsExactly(
            "invoke of java.lang:type=Memory: SecurityException",
            "stop of io.sluice:type=Missing: InstanceNotFoundException",
            "setAttribute of io.sluice:type=Missing: InstanceNotFoundException");
  }

  @Test
  void getAttribute_ofDiagnosticBeans_isRefused() throws Exception {
    assertThatThrownBy(() ->
            beans.getAttribute(
                bean("com.sun.management:type=HotSpotDiagnostic"), "DiagnosticOptions"))
        .isInstanceOf(SecurityException.class);
  }

  @Test
  void getAttribute_ofTheJvm_isRead() throws Exception {
    Object heap = beans.getAttribute(bean("java.lang:type=Memory"), "HeapMemoryUsage");
    assertThat(((CompositeData) heap).get("used")).isInstanceOf(Long.class);
    assertThat(beans.getMBeanServer()).isSameAs(ManagementFactory.getPlatformMBeanServer());
  }

  @Test
  void methodsOfObject_ofAForwarder_areThoseOfAnyObject() {
    assertThat(Set.of(beans)).contains(beans);
    assertThat(beans)
        .isNotEqualTo(BeanAccess.forwarder(RefusalListener.none()))
        .hasToString(beans.toString());
  }

  @Test
  void getAttribute_thatFails_throwsWhatTheServerThrew() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName absent = bean("io.sluice:type=Absent");
    Throwable expected = catchOf(() -> server.getAttribute(absent, "X"));
    assertThat(catchOf(() -> beans.getAttribute(absent, "X"))).hasSameClassAs(expected);
  }

  private interface Failing {
    void run() throws Exception;
  }

  private static Throwable catchOf(Failing action) {
    return org.assertj.core.api.Assertions.catchThrowable(action::run);
  }

  @ParameterizedTest
  @ValueSource(strings = {"invoke", "setAttribute", "setAttributes", "getAttribute"})
  void isAllowed_ourBeans_areUsed(String method) {
    assertThat(BeanAccess.isAllowed(method, ObjectNames.DAEMON)).isTrue();
    assertThat(BeanAccess.isAllowed(method, null)).isFalse();
  }

  /** A method that a later JDK adds is refused until somebody has thought of it. */
  @Test
  void isAllowed_everyMethodOfAConnection_isAsListed() throws Exception {
    ObjectName foreign = bean("com.example:type=Any");
    Set<String> methods =
        Arrays.stream(MBeanServerConnection.class.getMethods())
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(methods.stream().filter(name -> BeanAccess.isAllowed(name, foreign)))
        .containsExactlyInAnyOrder(
            "getDefaultDomain",
            "getDomains",
            "getMBeanCount",
            "getMBeanInfo",
            "getObjectInstance",
            "isInstanceOf",
            "isRegistered",
            "queryMBeans",
            "queryNames");
    assertThat(methods.stream().filter(name -> !BeanAccess.isAllowed(name, ObjectNames.DAEMON)))
        .containsExactlyInAnyOrder("createMBean", "unregisterMBean");
  }

  @Test
  void overTheSocket_diagnosticCommands_areRefused() throws Exception {
    Path socket = dir.resolve("control");
    try (LocalConnectorServer _ =
            LocalConnectorServer.start(
                socket, PeerPolicy.owner(), ManagementFactory.getPlatformMBeanServer());
        LocalConnection connection = connect(socket)) {
      MBeanServerConnection remote = connection.beans();
      assertThatThrownBy(() ->
              remote.invoke(
                  bean("com.sun.management:type=DiagnosticCommand"),
                  "vmVersion",
                  new Object[0],
                  new String[0]))
          .isInstanceOf(SecurityException.class);
      assertThat(remote.getAttribute(bean("java.lang:type=Runtime"), "Pid"))
          .isEqualTo(ProcessHandle.current().pid());
    }
  }

  private static LocalConnection connect(Path socket) throws IOException {
    return LocalConnection.open(socket);
  }
}
