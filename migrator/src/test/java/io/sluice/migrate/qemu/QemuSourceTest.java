package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.qmp.PciAddress;
import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.vdevice.DeviceHost;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.GuestSource;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine is told that is held back, and one whose migration is given up. */
final class QemuSourceTest {
  private static final Pattern COMMAND = Pattern.compile("\"execute\": ?\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\"id\": ?\"([^\"]*)\"");
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final Kernel KERNEL = RealKernel.create();
  private static final DeviceHost HOST =
      new DeviceHost(KERNEL, THREADS, System::nanoTime, new MapBudget(KERNEL.hostLimits(), 0));
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String BEGUN = "migrate";
  private static final long TAKEN = 70_000_000;

  private final List<String> lines = new CopyOnWriteArrayList<>();
  @TempDir private Path directory;
  private final CountDownLatch begun = new CountDownLatch(1);
  private volatile boolean threadsAreLeft = true;
  private volatile long left; // of the machine's memory
  private volatile String error = ""; // that it met

  @Test
  void abort_heldBack_givesQemuItsLimitsBack() throws Exception {
    RamTransport.Source way = new Open();
    with(
        way,
        70_000_000,
        source -> {
          source.start(ByteBuffer.allocate(1));
          begun.await();
          source.holdBack();
          source.abort();
        });
    assertItsLimitsAreGivenBack();
    assertThat(lines).anyMatch(line -> line.contains("\"migrate_cancel\""));
  }

  private void assertItsLimitsAreGivenBack() {
    assertThat(lines.getLast())
        .contains("\"migrate-set-parameters\"")
        .containsPattern("\"max-bandwidth\": ?70000000\\b")
        .containsPattern("\"avail-switchover-bandwidth\": ?70000000\\b")
        .containsPattern("\"downtime-limit\": ?250\\b");
  }

  /** Its next migration would be held back. */
  @Test
  void abort_holdingBackIsNotYetSaid_isNeverSaid() throws Exception {
    Stuck way = new Stuck(new Open());
    with(
        way,
        70_000_000,
        source -> {
          source.start(ByteBuffer.allocate(1));
          begun.await();
          source.allowStop();
          way.stuck.await();
          source.holdBack();
          source.abort();
          await().atMost(PATIENCE).until(source::hasGoneOn);
          way.goes.countDown();
        });
    assertItsLimitsAreGivenBack();
    assertThat(lines).noneMatch(line -> line.contains("\"max-bandwidth\":1000}"));
  }

  /** Which may be why it is given up. */
  @Test
  void abort_noThreadIsLeft_theMachineGoesOnAllTheSame() throws Exception {
    with(
        new Open(),
        70_000_000,
        source -> {
          source.start(ByteBuffer.allocate(1));
          begun.await();
          threadsAreLeft = false;
          source.abort();
          source.abort(); // whoever asked may not have heard of the first
          assertThat(source.isSettled()).isTrue();
          assertThat(source.hasGoneOn()).isTrue();
        });
    assertThat(lines).anyMatch(line -> line.contains("\"migrate_cancel\""));
  }

  /** Threads of a machine's move, while any are left. */
  private Thread thread(Runnable work) {
    return threadsAreLeft ? THREADS.newThread(work) : new NoThread();
  }

  private static final class NoThread extends Thread {
    @Override
    public void start() {
      throw new OutOfMemoryError("unable to create native thread");
    }
  }

  /** QEMU serves one client, which would be this one for good. */
  @Test
  void open_noThreadIsLeftForItsSteps_letsTheMonitorGo() throws Exception {
    Path path = directory.resolve("qmp");
    AtomicInteger threads = new AtomicInteger(1); // the monitor's
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        GuestDevice device =
            new GuestDevice(
                "web", directory.resolve("web"), HOST, new MapLimits(0, 0), new Nobody())) {
      listener.bind(UnixDomainSocketAddress.of(path));
      Thread monitor = THREADS.newThread(() -> serve(listener));
      monitor.start();
      assertThatThrownBy(() ->
              QemuSource.open(
                  device,
                  0,
                  path,
                  new Open(),
                  new QemuSource.Settings(0, Duration.ofMillis(250), PATIENCE),
                  work -> threads.getAndDecrement() > 0 ? THREADS.newThread(work) : new NoThread()))
          .isInstanceOf(OutOfMemoryError.class);
      assertThat(monitor.join(PATIENCE)).isTrue();
    }
  }

  /** It would stop by what it was told before. */
  @Test
  void allowShortStop_keepsSomeBack_isTakenFromAgainOnlyWhenItWasTold() throws Exception {
    with(
        new Counted(new Open(), lines, Optional.empty()),
        0,
        source -> {
          source.start(ByteBuffer.allocate(1));
          begun.await();
          assertThat(source.canStandBy()).isTrue();
          left = 3_000_000;
          source.keepBack(1_000_000, 500_000);
          awaitUpTo(source, TAKEN + 500_000); // a step
          left = 1_200_000;
          awaitUpTo(source, TAKEN + 200_000); // up to what it keeps
          left = 900_000;
          awaitUpTo(source, TAKEN); // it has less: nothing
          source.allowShortStop(100_000_000);
        });
    int told = index("\"downtime-limit\": ?30\\b");
    int again = lines.lastIndexOf("up to " + Long.MAX_VALUE);
    assertThat(told).isGreaterThan(lines.lastIndexOf("up to " + TAKEN));
    assertThat(again).isGreaterThan(told);
    assertThat(lines.subList(0, told)).doesNotContain("up to " + Long.MAX_VALUE);
  }

  /** It had nothing left for a moment, and did not wait to be allowed to stop. */
  @Test
  void switchOver_keptBackAndNeverAllowedToStop_itsLastPassIsTaken() throws Exception {
    with(
        new Counted(new Open(), lines, Optional.empty()),
        0,
        source -> {
          source.start(ByteBuffer.allocate(1));
          begun.await();
          left = 900_000;
          source.keepBack(1_000_000, 500_000);
          source.limitQueue(1);
          awaitUpTo(source, TAKEN);
          source.switchOver();
        });
    int goesOn = index("\"migrate-continue\"");
    assertThat(lines.lastIndexOf("up to " + Long.MAX_VALUE))
        .isGreaterThan(lines.lastIndexOf("up to " + TAKEN))
        .isLessThan(goesOn);
    assertThat(lines.lastIndexOf("queue " + QemuSource.LAST_PASS_BYTES))
        .isGreaterThan(lines.lastIndexOf("queue 1"))
        .isLessThan(goesOn);
  }

  private void awaitUpTo(QemuSource source, long bytes) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          source.poll();
          assertThat(source.progress().state()).isEqualTo(State.COPYING);
          assertThat(lines).contains("up to " + bytes);
        });
  }

  private int index(String pattern) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (Pattern.compile(pattern).matcher(lines.get(i)).find()) {
        return i;
      }
    }
    throw new AssertionError("it was not told " + pattern);
  }

  @Test
  void canStandBy_wayCountsNothing_cannot() throws Exception {
    with(new Open(), 0, source -> assertThat(source.canStandBy()).isFalse());
  }

  /** QEMU has seen that nothing can be written; why, the way may know, and the destination. */
  @Test
  void progress_qemuGivesUp_saysWhatQemuSaidAndWhatEndedTheWay() throws Exception {
    RamTransport.Source direct = new Open();
    with(
        new Counted(direct, lines, Optional.of("bad record mac")),
        0,
        source -> {
          source.start(ByteBuffer.allocate(1));
          begun.await();
          error = "Broken pipe";
          await()
              .atMost(PATIENCE)
              .until(() -> {
                source.poll();
                return source.progress().state() == State.FAILED;
              });
          assertThat(source.progress().failure())
              .isEqualTo(
                  "QEMU gave the migration up, it says: Broken pipe: the way of its stream was cut,"
                      + " bad record mac");
          assertThat(source.destinationMayKnowWhy()).isTrue();
        });
  }

  @Test
  void progress_startRefusedHere_saysSoAndAsksNobody() throws Exception {
    with(
        new Closed(),
        0,
        source -> {
          source.start(ByteBuffer.allocate(1));
          await().atMost(PATIENCE).until(() -> source.progress().state() == State.FAILED);
          assertThat(source.progress().failure()).contains("no way").doesNotContain("gave");
          assertThat(source.destinationMayKnowWhy()).isFalse();
        });
  }

  private interface Use {
    void of(QemuSource source) throws Exception;
  }

  /** A source whose QEMU is {@link #answer}; when this returns, all that it said is told. */
  private void with(RamTransport.Source way, long bandwidth, Use use) throws Exception {
    Path path = directory.resolve("qmp");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(path));
      Thread monitor = THREADS.newThread(() -> serve(listener));
      monitor.start();
      try (GuestDevice device =
              new GuestDevice(
                  "web", directory.resolve("web"), HOST, new MapLimits(0, 0), new Nobody());
          QemuSource source =
              new QemuSource(
                  device,
                  QemuMachine.connect(path, THREADS, PATIENCE),
                  way,
                  new QemuSource.Settings(bandwidth, Duration.ofMillis(250), PATIENCE),
                  this::thread,
                  new PciAddress(0, 1, 0))) {
        use.of(source);
      }
      monitor.join();
    }
  }

  private void serve(ServerSocketChannel listener) {
    try (SocketChannel socket = listener.accept();
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(Channels.newInputStream(socket), StandardCharsets.UTF_8))) {
      say(socket, "{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answer(socket, line);
      }
    } catch (IOException _) {
      // The client went away: what the test is about shows there.
    }
  }

  private void answer(SocketChannel socket, String line) throws IOException {
    String command = find(COMMAND, line);
    lines.add(line);
    String answer =
        switch (command) {
          case "query-status" -> "{\"status\": \"running\"}";
          case "query-migrate" ->
              "{\"status\": \"active\", \"ram\": {\"total\": 536870912, \"transferred\": 7,"
                  + " \"remaining\": "
                  + left
                  + "}"
                  + (error.isEmpty() ? "" : ", \"error-desc\": \"" + error + '"')
                  + "}";
          case "query-pci" ->
              "[{\"devices\": [{\"bus\": 0, \"slot\": 1, \"function\": 0, \"id\": {\"vendor\": "
                  + GuestAbi.PCI_VENDOR
                  + ", \"device\": "
                  + GuestAbi.PCI_DEVICE
                  + "}, \"regions\": [{\"bar\": 0, \"address\": 0}]}]}]";
          default -> "{}";
        };
    say(socket, "{\"return\": " + answer + ", \"id\": \"" + find(ID, line) + "\"}");
    switch (command) {
      case BEGUN -> {
        tell(socket, "active");
        begun.countDown();
      }
      case "migrate_cancel" -> tell(socket, "cancelled");
      default -> {}
    }
  }

  private static void tell(SocketChannel socket, String status) throws IOException {
    say(
        socket,
        "{\"event\": \"MIGRATION\", \"data\": {\"status\": \""
            + status
            + "\"}, \"timestamp\": {\"seconds\": 1, \"microseconds\": 1}}");
  }

  private static String find(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? matcher.group(1) : "";
  }

  private static void say(SocketChannel socket, String line) throws IOException {
    ByteBuffer out = ByteBuffer.wrap((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    while (out.hasRemaining()) {
      int _ = socket.write(out);
    }
  }

  /** A way whose stream is not taken before it goes on. */
  private static final class Stuck implements RamTransport.Source {
    final CountDownLatch stuck = new CountDownLatch(1);
    final CountDownLatch goes = new CountDownLatch(1);
    private final RamTransport.Source way;

    Stuck(RamTransport.Source way) {
      this.way = way;
    }

    @Override
    public String open(ByteBuffer target) {
      return way.open(target);
    }

    @Override
    public void takeUpTo(long bytes) {
      stuck.countDown();
      try {
        goes.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      way.close();
    }
  }

  /** A way that notes its limits between what the machine is told. */
  private record Counted(RamTransport.Source way, List<String> lines, Optional<String> cut)
      implements RamTransport.Source {
    @Override
    public String open(ByteBuffer target) {
      return way.open(target);
    }

    @Override
    public boolean isCounted() {
      return true;
    }

    @Override
    public long bytesTaken() {
      return TAKEN;
    }

    @Override
    public void takeUpTo(long bytes) {
      lines.add("up to " + bytes);
    }

    @Override
    public void limitQueue(long bytes) {
      lines.add("queue " + bytes);
    }

    @Override
    public void close() {
      way.close();
    }
  }

  /** A way that the machine that answers here never takes. */
  private static final class Open implements RamTransport.Source {
    @Override
    public String open(ByteBuffer target) {
      return "unix:ram";
    }

    @Override
    public void close() {}
  }

  /** No way can be opened. */
  private static final class Closed implements RamTransport.Source {
    @Override
    public String open(ByteBuffer target) {
      throw new RefusedException("SLU-NET-009", Errno.EACCES, "no way", "");
    }

    @Override
    public void close() {}
  }

  /** Nobody attaches. */
  private static final class Nobody implements GuestSource {
    @Override
    public Guest open(GuestListener listener) {
      throw new AssertionError("nobody attaches");
    }

    @Override
    public void release(Guest guest) {}
  }
}
