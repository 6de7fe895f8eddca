package io.sluice.testbed.machine.session.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.NotificationTypes;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.migrate.wire.LinkClient;
import io.sluice.migrate.wire.SessionStream;
import io.sluice.migrate.wire.TlsFiles;
import io.sluice.migrate.wire.WireLoops;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Processes;
import io.sluice.testbed.opencl.AllowedDifferences;
import io.sluice.testbed.opencl.Commands;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions that live at another daemon than their applications, with TLS between the two. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@ExtendWith(Seeds.class)
@TakesLong("each of its tests starts session hosts, of two daemons")
final class RemoteSessionsTest {
  private static final String GUEST = "guest";
  private static final String OTHER = "other";
  private static final String HOME = "alpha";
  private static final String FAR = "beta";
  private static final String ADDRESS = "127.0.71.1";
  private static final int PORT = 7443;
  private static final String DEFAULT = "default";

  /** Devices that are processors have what their hosts may have. */
  private static final String ALL_MEMORY = "process-memory = \"64GiB\"\n";

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 50;
  private static final int MOVES = 4;
  private static final int MANY = 1_000_000;
  private static final int LIES = 20;

  /** Programs that use much of OpenCL between them, and are at work for a while. */
  private static final List<String> FEW =
      List.of("buffers", "images", "long_lived", "maps", "threads", "user_events");

  private final Set<String> stages = ConcurrentHashMap.newKeySet();
  private final ExecutorService runners = Executors.newCachedThreadPool();
  private Path directory;
  private HostCertificates certificates;
  private OpenClParts parts;
  private Path work;
  private int runs;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private String accepted = ""; // what of the configuration of the daemons that run
  private boolean clean; // nothing of a test is left with them

  @SuppressWarnings("NullAway.Init")
  private DaemonProcess home;

  @SuppressWarnings("NullAway.Init")
  private DaemonProcess far;

  @SuppressWarnings("NullAway.Init")
  private DelayedLink way;

  @SuppressWarnings("NullAway.Init")
  private SessionsMXBean sessions;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    this.directory = directory;
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    work = Files.createDirectory(directory.resolve("work"));
    certificates = new HostCertificates(Files.createDirectory(directory.resolve("authority")));
    certificates.issue(HOME, ADDRESS, Files.createDirectory(directory.resolve(HOME)));
    certificates.issue(FAR, ADDRESS, Files.createDirectory(directory.resolve(FAR)));
  }

  @AfterAll
  void stop() throws Exception {
    stopDaemons();
    runners.shutdownNow();
  }

  /** Two daemons, and a way between them. Daemons of the test before serve if it left nothing. */
  private void start(String accepted) throws Exception {
    if (!clean || !accepted.equals(this.accepted)) {
      stopDaemons();
      startDaemons(accepted);
    }
    clean = false;
    stages.clear();
    way = new DelayedLink(ADDRESS, new InetSocketAddress(ADDRESS, PORT), Duration.ZERO);
  }

  private void startDaemons(String accepted) throws Exception {
    this.accepted = accepted;
    runs++;
    Path here = Files.createDirectory(directory.resolve("home" + runs));
    home =
        DaemonProcess.startWithOpenCl(
            here,
            List.of(GUEST, OTHER),
            ALL_MEMORY + HostCertificates.configuration(directory.resolve(HOME), ""));
    started.push(home);
    Path there = Files.createDirectory(directory.resolve("far" + runs));
    far =
        DaemonProcess.startWithOpenCl(
            there,
            List.of(),
            ALL_MEMORY
                + accepted
                + HostCertificates.configuration(directory.resolve(FAR), ADDRESS + ":" + PORT));
    started.push(far);
    sessions = home.connection().sessions();
    home.connection()
        .listen(
            notification -> {
              if (notification.getType().equals(NotificationTypes.SESSION_MOVING)) {
                stages.add(notification.getMessage().replaceFirst(".*: ", ""));
              }
            },
            () -> {});
    await().atMost(PATIENCE).until(() -> children(home).size() == 2);
  }

  private void start() throws Exception {
    start("accept-from = \"" + HOME + "\"\n");
  }

  @AfterEach
  void closeWay() throws Exception {
    if (way != null) {
      way.close();
    }
  }

  private void stopDaemons() throws Exception {
    clean = false;
    while (!started.isEmpty()) {
      started.pop().close();
    }
  }

  private static List<ProcessHandle> children(DaemonProcess daemon) {
    return daemon.process().children().toList();
  }

  private String there() {
    return ADDRESS + ":" + way.port();
  }

  private CompletableFuture<Result> run(String guest, String... command) {
    Map<String, String> environment =
        Map.of(
            "OCL_ICD_VENDORS",
            parts.vendors().toString(),
            "SLUICE_API_SOCKET",
            home.socket(guest) + ".api");
    List<String> words =
        Stream.concat(Stream.of(parts.program(command[0]).toString()), Stream.of(command).skip(1))
            .toList();
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Commands.run(work, environment, words);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        runners);
  }

  /** A program that works until it is told to end, and says then whether all was right. */
  private final class Film {
    final Path end = work.resolve("end" + System.nanoTime());
    final CompletableFuture<Result> running;
    final String guest;
    final long session;

    Film(String guest) throws Exception {
      this.guest = guest;
      Set<Long> before = numbers(guest);
      running = run(guest, "frames", String.valueOf(MANY), "48", String.valueOf(end));
      session =
          await()
              .atMost(PATIENCE)
              .until(
                  () ->
                      sessions.list(guest).stream()
                          .filter(each -> !before.contains(each.number()))
                          .filter(each -> each.calls() > AT_WORK)
                          .map(SessionStatus::number)
                          .findFirst()
                          .orElse(0L),
                  number -> number > 0);
    }

    SessionMove move(String to) throws OperationsException {
      return sessions.move(guest, session, to, false);
    }

    SessionStatus status() throws OperationsException {
      return sessions.list(guest).stream()
          .filter(each -> each.number() == session)
          .findFirst()
          .orElseThrow();
    }

    void goesOn() throws OperationsException {
      long calls = status().calls();
      await().atMost(PATIENCE).until(() -> status().calls() > calls + AT_WORK);
    }

    /** Its session is lost. */
    void endsWithout() throws Exception {
      Result result = running.get();
      assertThat(result.code()).isNotZero();
      assertThat(result.output() + result.errors()).contains("CL_DEVICE_NOT_AVAILABLE");
    }

    /** It has not lost its session, or has heard it. */
    void endsSomehow() throws Exception {
      if (!running.isDone()) {
        Files.createFile(end);
      }
      Result result = running.get();
      if (result.code() != 0) {
        endsWithout();
      }
    }

    void endsRight() throws Exception {
      Files.createFile(end);
      Result result = running.get();
      assertThat(result.code()).as(result.output() + result.errors()).isZero();
      List<String> lines = result.output();
      assertThat(lines)
          .anyMatch(line ->
              line.startsWith("frames: ")
                  && lines.contains("right" + line.substring("frames".length())));
    }
  }

  private Set<Long> numbers(String guest) throws OperationsException {
    return sessions.list(guest).stream().map(SessionStatus::number).collect(Collectors.toSet());
  }

  private void works(String guest) throws Exception {
    assertThat(run(guest, "dot", "1000", "2").get().output()).contains("verified: right");
  }

  /** Neither daemon has a session, a process or a file more than before there were any. */
  private void nothingIsLeft() {
    await().atMost(PATIENCE).until(() -> sessions.list("").isEmpty());
    await().atMost(PATIENCE).until(() -> children(home).size() == 2);
    nothingIsLeftThere();
    clean = true;
  }

  private void nothingIsLeftThere() {
    await().atMost(PATIENCE).until(() -> far.connection().sessions().list("").isEmpty());
    await().atMost(PATIENCE).until(() -> children(far).isEmpty());
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          try (Stream<Path> files = Files.walk(directory.resolve("far" + runs).resolve("state"))) {
            assertThat(files.map(path -> path.getFileName().toString()))
                .noneMatch(name -> name.contains(":") || name.startsWith("stream-"));
          }
        });
  }

  @Test
  void session_thatMovesToAnotherHostAndBack_hasEachFrameRightAndLeavesNothing() throws Exception {
    start();
    works(GUEST);
    Film film = new Film(GUEST);
    assertThat(sessions.move(GUEST, film.session, there(), true).obstacles()).isEmpty();
    assertThat(film.status().host()).isEqualTo(DEFAULT);
    nothingIsLeftThere();
    Daemons.Holdings before = Daemons.Holdings.of(far.pid());

    for (int i = 0; i < MOVES; i++) {
      String to = i % 2 == 0 ? there() : DEFAULT;
      SessionMove move = film.move(to);
      System.out.printf(
          "moved to %s: rounds %d, sent %d bytes, stopped %d us%n",
          to, move.rounds(), move.sentBytes(), move.stoppedNs() / 1000);
      assertThat(film.status().host()).isEqualTo(to);
      film.goesOn();
      if (i % 2 == 0) {
        assertThat(far.connection().sessions().list(""))
            .singleElement()
            .satisfies(visitor -> {
              assertThat(visitor.guest()).isEqualTo(HOME + ":" + GUEST);
              assertThat(visitor.memoryBytes()).isPositive();
            });
        await().atMost(PATIENCE).until(() -> film.status().memoryBytes() > 0);
      }
    }

    film.endsRight();
    nothingIsLeft();
    Daemons.awaitHoldings(far, before);
  }

  @Test
  void fewPrograms_whoseSessionsComeAndGo_printWhatTheyPrintNatively() throws Exception {
    comeAndGo(FEW);
  }

  @Test
  @Tag("long")
  void programs_whoseSessionsComeAndGo_printWhatTheyPrintNatively() throws Exception {
    comeAndGo(OpenClParts.programs());
  }

  private void comeAndGo(List<String> programs) throws Exception {
    start();
    AllowedDifferences differences = AllowedDifferences.read();
    Film keeper = new Film(GUEST); // so that the hosts of both sides stay
    keeper.move(there());
    int moves = 0;
    for (String name : programs) {
      CompletableFuture<Result> running = run(GUEST, name);
      while (!running.isDone()) {
        moves += moveAll(keeper.session);
      }
      Result here = running.get();
      Result natively = parts.natively(work, List.of(parts.program(name).toString()));
      assertThat(differences.printed(name, here.output()))
          .as(() -> name + "\n" + here.errors())
          .isNotEmpty()
          .containsExactlyElementsOf(differences.expected(name, natively.output()));
      assertThat(here.code()).as(name).isEqualTo(natively.code());
    }
    System.out.println("moves: " + moves);
    assertThat(moves).isGreaterThan(programs.size() / 2);
    keeper.endsRight();
    nothingIsLeft();
  }

  /** Moves all sessions but one to where they are not; how many did. */
  private int moveAll(long but) throws OperationsException {
    int moves = 0;
    for (SessionStatus session : sessions.list(GUEST)) {
      if (session.number() != but) {
        String to = session.host().equals(DEFAULT) ? there() : DEFAULT;
        try {
          SessionMove _ = sessions.move(GUEST, session.number(), to, false);
          moves++;
        } catch (OperationsException _) {
          // it has left meanwhile, or has what keeps it
        }
      }
    }
    return moves;
  }

  @Test
  void peer_thatIsNotNamed_bringsNothing() throws Exception {
    start("accept-from = \"gamma\"\n");
    Film film = new Film(GUEST);

    assertThatThrownBy(() -> film.move(there()))
        .hasMessageContaining("SLU-SES-016")
        .hasMessageContaining("it takes no sessions from this host");

    assertThat(film.status().host()).isEqualTo(DEFAULT);
    assertThat(children(far)).isEmpty();
    film.endsRight();
    nothingIsLeft();
  }

  @Test
  void daemon_thatAcceptsNobody_takesNothing() throws Exception {
    start("");
    Film film = new Film(GUEST);

    assertThatThrownBy(() -> film.move(there()))
        .hasMessageContaining("SLU-SES-016")
        .hasMessageContaining("it takes no sessions from other hosts");
    assertThatThrownBy(() -> film.move(ADDRESS + ":1")).hasMessageContaining("SLU-SES-016");

    film.endsRight();
    nothingIsLeft();
  }

  @Test
  void host_thatIsFull_takesNoMore() throws Exception {
    start(
        "accept-from = \""
            + HOME
            + "\"\nforeign-guest-limit = \"1\"\nforeign-session-limit = \"1\"\n");
    Film first = new Film(GUEST);
    Film second = new Film(GUEST);
    Film third = new Film(OTHER);
    first.move(there());

    assertThatThrownBy(() -> second.move(there()))
        .hasMessageContaining("as many sessions there as it may have, limit=1");
    assertThatThrownBy(() -> third.move(there()))
        .hasMessageContaining("sessions of as many guests as it takes, limit=1");

    assertThat(second.status().host()).isEqualTo(DEFAULT);
    first.move(DEFAULT);
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(OperationsException.class)
        .until(() -> third.move(there()) != null);
    for (Film film : List.of(first, second, third)) {
      film.endsRight();
    }
    nothingIsLeft();
  }

  @Test
  void session_thatNeedsMoreThanTheHostGives_stays() throws Exception {
    start("accept-from = \"" + HOME + "\"\nforeign-memory-limit = \"1MiB\"\n");
    Film film = new Film(GUEST);

    assertThatThrownBy(() -> film.move(there())).hasMessageContaining("SLU-SES-016");

    film.goesOn();
    film.endsRight();
    nothingIsLeft();
  }

  @Test
  void limit_ofAGuest_holdsAtAllItsSessionHosts() throws Exception {
    start();
    Film first = new Film(GUEST);
    Film second = new Film(GUEST);
    first.move(there());
    Integer before = Objects.requireNonNull(sessions.getHosts().get(GUEST)).sessionLimit();

    sessions.limit(GUEST, 1, null);
    assertThatThrownBy(() -> second.move(there()))
        .hasMessageContaining("there are as many sessions as there may be");
    sessions.limit(GUEST, before, null);
    second.move(there());

    for (Film film : List.of(first, second)) {
      film.goesOn();
      film.endsRight();
    }
    nothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(strings = "finish")
  void move_givenUp_sessionGoesOnWhereItIs(String stage) throws Exception {
    giveUpThereAndBack(stage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "copy", "stop"})
  @Tag("long")
  void move_givenUpInAnotherStage_sessionGoesOnWhereItIs(String stage) throws Exception {
    giveUpThereAndBack(stage);
  }

  private void giveUpThereAndBack(String stage) throws Exception {
    start();
    Film film = new Film(GUEST);
    givenUp(film, there(), stage);
    film.goesOn();
    if (film.status().host().equals(DEFAULT)) {
      film.move(there());
    }
    givenUp(film, DEFAULT, stage);
    film.goesOn();
    if (!film.status().host().equals(DEFAULT)) {
      film.move(DEFAULT);
      film.goesOn();
    }
    film.endsRight();
    nothingIsLeft();
  }

  private void givenUp(Film film, String to, String stage) {
    CompletableFuture<Boolean> move = moveUntil(film, to, stage);
    try {
      sessions.stay(film.guest, film.session);
    } catch (OperationsException over) {
      assertThat(over).hasMessageMatching("(?s).*SLU-SES-01[16].*");
    }
    boolean _ = move.join();
  }

  /** Begins to move a session, up to a stage unless that is over sooner; whether it was done. */
  private CompletableFuture<Boolean> moveUntil(Film film, String to, String stage) {
    stages.clear();
    CompletableFuture<Boolean> move =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return film.move(to) != null;
              } catch (OperationsException _) {
                return false;
              }
            },
            runners);
    await().atMost(PATIENCE).until(() -> stages.contains(stage) || move.isDone());
    return move;
  }

  /** What befalls a session at another host. */
  enum Blow {
    CUT,
    DAEMON_KILLED,
    DAEMON_STOPPED,
    HOST_KILLED,
    HOST_STOPPED
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT", "HOST_KILLED"})
  void blow_endsTheSessionsThatAreThereAlone(Blow blow) throws Exception {
    blowThere(blow);
  }

  @ParameterizedTest
  @EnumSource(names = {"DAEMON_KILLED", "DAEMON_STOPPED", "HOST_STOPPED"})
  @Tag("long")
  void anotherBlow_endsTheSessionsThatAreThereAlone(Blow blow) throws Exception {
    blowThere(blow);
  }

  private void blowThere(Blow blow) throws Exception {
    start();
    Film here = new Film(OTHER);
    Film there = new Film(GUEST);
    there.move(there());
    there.goesOn();
    ProcessHandle host = children(far).getFirst();

    strike(blow, host);

    there.endsWithout();
    works(GUEST);
    here.endsRight();
    mend(blow);
    nothingIsLeftAfter(blow, host);
  }

  @ParameterizedTest
  @CsvSource("CUT, finish")
  void blow_whileTheSessionGoesThere_itStaysUnlessItWasThere(Blow blow, String stage)
      throws Exception {
    blowInAStage(blow, stage);
  }

  @ParameterizedTest
  @CsvSource({
    "CUT, copy",
    "DAEMON_KILLED, copy",
    "DAEMON_KILLED, finish",
    "HOST_KILLED, copy",
    "HOST_KILLED, finish",
    "DAEMON_STOPPED, copy",
    "DAEMON_STOPPED, finish",
    "HOST_STOPPED, copy",
    "HOST_STOPPED, finish"
  })
  @Tag("long")
  void anotherBlow_whileTheSessionGoesThere_itStaysUnlessItWasThere(Blow blow, String stage)
      throws Exception {
    blowInAStage(blow, stage);
  }

  private void blowInAStage(Blow blow, String stage) throws Exception {
    start();
    Film film = new Film(GUEST);
    CompletableFuture<Boolean> move = moveUntil(film, there(), stage);
    ProcessHandle host = children(far).getFirst();
    boolean wasThere;

    strike(blow, host);
    try {
      if (move.join()) {
        film.endsWithout();
        wasThere = true;
      } else {
        wasThere = stages.contains("hand_over");
      }
      if (!wasThere) {
        film.goesOn();
      }
    } finally {
      mend(blow);
    }

    if (wasThere) {
      film.endsSomehow();
    } else {
      if (blow != Blow.DAEMON_KILLED) {
        await() // the other host may have something of it yet
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(OperationsException.class)
            .until(() -> film.move(there()) != null);
        film.goesOn();
      }
      film.endsRight();
    }
    works(GUEST);
    nothingIsLeftAfter(blow, host);
  }

  private void strike(Blow blow, ProcessHandle host) throws Exception {
    switch (blow) {
      case CUT -> way.cut();
      case DAEMON_KILLED -> {
        boolean _ = started.remove(far);
        far.kill();
      }
      case DAEMON_STOPPED -> Processes.stop(far.pid());
      case HOST_KILLED -> host.destroyForcibly();
      case HOST_STOPPED -> Processes.stop(host.pid());
    }
  }

  /** A daemon that was stopped goes on; a host that was is ended once it is asked. */
  private void mend(Blow blow) throws Exception {
    if (blow == Blow.DAEMON_STOPPED) {
      Processes.signal(far.pid(), "CONT");
    } else if (blow == Blow.HOST_STOPPED) {
      List<SessionStatus> _ = far.connection().sessions().list("");
    }
  }

  private void nothingIsLeftAfter(Blow blow, ProcessHandle host) {
    if (blow == Blow.DAEMON_KILLED) {
      await().atMost(PATIENCE).until(() -> !host.isAlive());
      await().atMost(PATIENCE).until(() -> children(home).size() == 2);
    } else {
      nothingIsLeft();
    }
  }

  @Test
  void homeDaemon_killed_leavesNothingThere() throws Exception {
    start();
    Film film = new Film(GUEST);
    film.move(there());

    boolean _ = started.remove(home);
    home.kill();

    assertThat(film.running.get().code()).isNotZero();
    nothingIsLeftThere();
  }

  @Test
  void peer_thatLies_harmsItselfAlone(RandomGenerator random) throws Exception {
    start();
    Film film = new Film(GUEST);
    film.move(there());
    Path files = directory.resolve(HOME);
    TlsFiles tls =
        new TlsFiles(
            files.resolve("host.crt"), files.resolve("host.key"), files.resolve("authority.crt"));
    WireLoops loops = new WireLoops(1, Thread.ofPlatform().daemon().factory());
    try (LinkClient client = new LinkClient(loops, ADDRESS, PORT, tls, 0, false)) {
      assertThatThrownBy(() -> lie(client, "../x", ByteBuffer.allocate(0)))
          .hasMessageContaining("it is no name of a guest");
      for (int i = 0; i < LIES; i++) {
        ByteBuffer words = lie(random, i);
        String guest = "liar" + i % 2;
        await() // its sessions of before may not be gone
            .atMost(PATIENCE)
            .ignoreExceptionsMatching(
                refused -> String.valueOf(refused.getMessage()).contains("limit="))
            .until(() -> lie(client, guest, words.duplicate()));
      }
    } finally {
      loops.close();
    }

    film.goesOn();
    film.move(DEFAULT);
    film.endsRight();
    nothingIsLeft();
  }

  /** A frame's header with noise behind it, or noise alone. */
  private static ByteBuffer lie(RandomGenerator random, int i) {
    byte[] noise = new byte[random.nextInt(1, 4096)];
    random.nextBytes(noise);
    ByteBuffer frame = ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN);
    if (i % 4 > 0 && noise.length >= 8) {
      frame.putInt(0, i % 4 == 3 ? Integer.MAX_VALUE : noise.length);
      frame.putShort(4, (short) random.nextInt(1, 55)).putShort(6, (short) 0);
    }
    return frame;
  }

  /** Says it, and waits until the other side has had enough. */
  private boolean lie(LinkClient client, String guest, ByteBuffer words) throws Exception {
    Path socket = work.resolve("lie");
    Files.deleteIfExists(socket);
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<Void> open = SessionStream.open(client, guest, socket);
      try (SocketChannel stream = listener.accept()) {
        open.get(1, TimeUnit.MINUTES);
        while (words.hasRemaining()) {
          int _ = stream.write(words);
        }
        stream.shutdownOutput();
        ByteBuffer answer = ByteBuffer.allocate(4096);
        try {
          while (stream.read(answer.clear()) >= 0) {
            // why it was refused, perhaps
          }
        } catch (IOException _) {
          // or not even that
        }
        return true;
      }
    }
  }
}
