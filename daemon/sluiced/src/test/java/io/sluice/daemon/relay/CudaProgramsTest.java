package io.sluice.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.nvidia.relay.RelayLimits;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.runtime.Threads;
import io.sluice.management.CudaProgramStatus;
import io.sluice.management.CudaStatus;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.testbed.checks.StandIn;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Doors of CUDA programs with the real kernel, of which a call can fail, and a relay of ours. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CudaProgramsTest {
  private static final int MOST = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path dir;
  private final Kernel real = RealKernel.create();
  private final AtomicReference<@Nullable Throwable> acceptFailure = new AtomicReference<>();
  private final AtomicReference<@Nullable Error> threadFailure = new AtomicReference<>();
  private final Kernel kernel = failing();
  private final Threads threads = new Threads();
  private final AtomicLong videoBytes = new AtomicLong(1 << 20);
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<String> audited = new CopyOnWriteArrayList<>();
  private final List<RelayLimits> limits = new ArrayList<>();
  private final FakeRelay relay = new FakeRelay(real);
  private final FakeRelay elsewhere = relay.beside("h100-b");
  private final List<String> opened = new CopyOnWriteArrayList<>();
  private final OtherGpus others = new OneOther();
  private final CudaPrograms programs =
      new CudaPrograms(
          new CudaPrograms.Surroundings(
              kernel,
              this::newThread,
              System::nanoTime,
              Optional.empty(),
              (type, message) -> told.add(type + " " + message),
              (deed, what) -> audited.add(deed + " " + what)));

  @SuppressWarnings("NullAway.Init")
  private GuestSettings plain;

  @SuppressWarnings("NullAway.Init")
  private GuestSettings guest;

  @BeforeEach
  void configure() throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s"
            [gpu.h100]
            device = "/dev/nvidia0"
            [[guest]]
            name = "plain"
            [[guest]]
            name = "ml-01"
            cuda = true
            cuda-programs = "%d"
            cuda-host-memory = "1GiB"
            """
                .formatted(dir, MOST));
    DaemonConfig config = new ConfigLoader(Map.of(), Map.of()).load(file);
    plain = config.guests().get(0);
    guest = config.guests().get(1);
  }

  /** No thread is left, nor a socket's file. */
  @AfterEach
  void leave() {
    programs.leave(guest.name());
    assertThat(threads.join(Duration.ofSeconds(5))).isEmpty();
    assertThat(guest.cudaSocket()).doesNotExist();
  }

  private Kernel failing() {
    return StandIn.of(
        Kernel.class,
        real,
        call -> {
          Throwable planned = call.is("accept") ? acceptFailure.getAndSet(null) : null;
          if (planned != null) {
            throw planned;
          }
          return call.pass();
        });
  }

  private Thread newThread(Runnable action) {
    Error planned = threadFailure.getAndSet(null);
    if (planned != null) {
      throw planned;
    }
    return threads.newThread(action);
  }

  /** The GPU of the name that there is; it notes when it is opened and closed. */
  private final class OneOther implements OtherGpus {
    @Override
    public ProgramRelay open(String failed, String gpu, ProgramRelay own)
        throws OperationsException {
      if (!gpu.equals("h100-b")) {
        throw Problem.of(ErrorCode.GPU_UNKNOWN, failed, "there is no GPU " + gpu, "there is h100-b")
            .exception();
      }
      opened.add("open " + gpu);
      return elsewhere;
    }

    @Override
    public void close(String gpu, ProgramRelay closed) {
      assertThat(closed).isSameAs(elsewhere);
      opened.add("close " + gpu);
    }
  }

  private void serve() throws OperationsException {
    programs.serve(guest, this::begin, MemoryBudget.upTo(videoBytes::get), others);
  }

  private Optional<ProgramRelay> begin(RelayLimits asked) {
    limits.add(asked);
    return Optional.of(relay);
  }

  private Fd connect() {
    return real.connect(guest.cudaSocket());
  }

  private boolean isEnded(Fd program) {
    try (Arena arena = Arena.ofConfined()) {
      return real.recvmsg(program, arena.allocate(1), new FdList()) <= 0;
    }
  }

  private void assertComesIn() {
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> relay.programs().size() == 1);
    }
    await().atMost(PATIENCE).until(() -> relay.programs().isEmpty());
  }

  // ---- refusals ----

  @Test
  void serve_gpuOfAnotherDriver_saysSo() {
    assertThatThrownBy(() ->
            programs.serve(
                guest, _ -> Optional.empty(), MemoryBudget.upTo(videoBytes::get), others))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("cannot serve the CUDA programs of guest \"ml-01\" [SLU-PROG-004]")
        .hasMessageContaining("GPU \"h100\" is none of NVIDIA's driver");
    assertThat(programs.getGuests()).isEmpty();
  }

  @Test
  void serve_directoryThatIsNotThere_closesTheRelay() throws Exception {
    Files.delete(dir.resolve("sluice.toml"));
    Files.delete(dir);

    assertThatThrownBy(this::serve).hasMessageContaining("[SLU-PROG-003]");

    assertThat(relay.isClosed()).isTrue();
    Files.createDirectory(dir);
  }

  @Test
  void serve_noThread_leavesNothing() {
    threadFailure.set(new OutOfMemoryError("injected"));

    assertThatThrownBy(this::serve).isInstanceOf(OutOfMemoryError.class);

    assertThat(relay.isClosed()).isTrue();
  }

  @Test
  void list_guestWithoutCuda_saysWhatToSet() {
    assertThatThrownBy(() -> programs.list("plain"))
        .hasMessageContaining("[SLU-PROG-001]")
        .hasMessageContaining("set cuda in its [[guest]]");
  }

  @Test
  void end_numberThatThereIsNot_isRefused() throws Exception {
    serve();

    assertThatThrownBy(() -> programs.end("ml-01", 7))
        .hasMessageContaining("cannot end CUDA program 7 of guest \"ml-01\" [SLU-PROG-002]");
    assertThat(audited).isEmpty();
  }

  @Test
  void suspend_guestWithoutCuda_isRefused() {
    assertThatThrownBy(() -> programs.suspend("plain", 1, 10))
        .hasMessageContaining("cannot suspend CUDA program 1 of guest \"plain\" [SLU-PROG-001]");
    assertThatThrownBy(() -> programs.resume("plain", 1, ""))
        .hasMessageContaining("cannot resume CUDA program 1 of guest \"plain\" [SLU-PROG-001]");
  }

  @Test
  void suspend_numberThatThereIsNot_isRefused() throws Exception {
    serve();

    assertThatThrownBy(() -> programs.suspend("ml-01", 7, 10))
        .hasMessageContaining("cannot suspend CUDA program 7 of guest \"ml-01\" [SLU-PROG-002]");
    assertThatThrownBy(() -> programs.resume("ml-01", 7, ""))
        .hasMessageContaining("cannot resume CUDA program 7 of guest \"ml-01\" [SLU-PROG-002]");
    assertThat(audited).isEmpty();
    assertThat(told).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 3601, Long.MAX_VALUE})
  void suspend_waitOutOfRange_isRefused(long seconds) throws Exception {
    serve();

    assertThatThrownBy(() -> programs.suspend("ml-01", 1, seconds))
        .hasMessageContaining("cannot suspend CUDA program 1 of guest \"ml-01\" [SLU-CTL-009]")
        .hasMessageContaining("cause: its work cannot be waited for " + seconds + " seconds")
        .hasMessageContaining("fix: give 1 to 3600");
    assertThat(relay.patienceNs()).isZero();
  }

  @Test
  void suspend_relayThatRefuses_saysWhy() throws Exception {
    serve();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> told.size() == 1 && !relay.programs().isEmpty());
      relay.refuse(new RefusedException("SLU-RLY-006", Errno.EBUSY, "its work goes on", ""));

      assertThatThrownBy(() -> programs.suspend("ml-01", 1, 10))
          .hasMessage(
              """
              cannot suspend CUDA program 1 of guest "ml-01" [SLU-PROG-009]
              cause: its work goes on
              fix: wait for its work, or give it more time: sluicectl program suspend --wait\
              """);
      assertThat(audited).isEmpty();
      assertThat(told).hasSize(1);
    }
  }

  @Test
  void resume_relayThatRefuses_saysWhyAndWhatItSaysToDo() throws Exception {
    serve();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> told.size() == 1 && !relay.programs().isEmpty());
      relay.refuse(
          new RefusedException("SLU-RLY-007", Errno.ENOMEM, "1 GiB is missing", "End another."));

      assertThatThrownBy(() -> programs.resume("ml-01", 1, ""))
          .hasMessage(
              """
              cannot resume CUDA program 1 of guest "ml-01" [SLU-PROG-010]
              cause: 1 GiB is missing
              fix: end another\
              """);
      assertThat(audited).isEmpty();
      assertThat(told).hasSize(1);
    }
  }

  @Test
  void connect_beyondWhatThereMayBe_isTurnedAway() throws Exception {
    serve();
    List<Fd> many = new ArrayList<>();
    try {
      for (int i = 0; i < MOST + RelayDoor.SPARE; i++) {
        many.add(connect());
      }
      await().atMost(PATIENCE).until(() -> relay.programs().size() == many.size());

      try (Fd one = connect()) {
        assertThat(isEnded(one)).isTrue();
      }
      assertThat(programs.getGuests().get("ml-01"))
          .extracting(CudaStatus::turnedAway)
          .isEqualTo(1L);
    } finally {
      many.forEach(Fd::close);
    }
    await().atMost(PATIENCE).until(() -> relay.programs().isEmpty());
    assertComesIn();
  }

  @Test
  void connect_faster_thanThePace_waits() throws Exception {
    serve();
    long begin = System.nanoTime();
    for (int i = 0; i < RelayDoor.BURST + 10; i++) {
      int ended = told.size() + 2;
      try (Fd one = connect()) {
        real.shutdown(one);
        assertThat(isEnded(one)).isTrue();
      }
      // Its place is free then: beside too many that are about to go the next would be turned away.
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> told.size() == ended);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(300));
  }

  @Test
  void accept_noDescriptorsOnce_theNextComesIn() throws Exception {
    acceptFailure.set(new SyscallException("accept4", "", Errno.EMFILE.number()));
    serve();
    assertComesIn();
  }

  @Test
  void accept_noThreadOnce_closesTheConnection() throws Exception {
    serve();
    threadFailure.set(new OutOfMemoryError("injected"));
    try (Fd one = connect()) {
      assertThat(isEnded(one)).isTrue();
    }
    assertComesIn();
  }

  @Test
  void relay_thatFails_costsThatProgramOnly() throws Exception {
    serve();
    relay.fail();
    try (Fd one = connect()) {
      assertThat(isEnded(one)).isTrue();
    }
    assertComesIn();
  }

  // ---- what is served ----

  @Test
  void serve_guestWithoutCuda_hasNoSocket() throws Exception {
    programs.serve(plain, this::begin, MemoryBudget.upTo(videoBytes::get), others);

    assertThat(limits).isEmpty();
    assertThat(plain.cudaSocket()).doesNotExist();
  }

  @Test
  void serve_guest_hasASocketOfItsOwn() throws IOException, OperationsException {
    serve();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(guest.cudaSocket())))
        .isEqualTo("rw-------");
    assertThat(limits.get(0).programs()).isEqualTo(MOST);
    assertThat(limits.get(0).hostBytes().getAsLong()).isEqualTo(1 << 30);
    videoBytes.set(7);
    assertThat(limits.get(0).video().limitBytes()).isEqualTo(7);
  }

  @Test
  void program_thatComesAndLeaves_isShownAndTold() throws Exception {
    serve();
    long pid = ProcessHandle.current().pid();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> programs.list("").size() == 1);

      CudaProgramStatus status = programs.list("ml-01").get(0);
      assertThat(status.pid()).isEqualTo((int) pid);
      assertThat(status.command()).isEqualTo(Files.readString(Path.of("/proc/self/comm")).strip());
      assertThat(status)
          .isEqualTo(
              new CudaProgramStatus(
                  "ml-01",
                  1,
                  "h100",
                  status.pid(),
                  status.uid(),
                  status.command(),
                  9,
                  20,
                  480,
                  2,
                  1000,
                  80,
                  60,
                  "running"));
      assertThat(programs.getGuests())
          .containsExactly(
              Map.entry(
                  "ml-01",
                  new CudaStatus(
                      "ml-01",
                      guest.cudaSocket().toString(),
                      1,
                      MOST,
                      0,
                      1000,
                      1 << 20,
                      80,
                      1 << 30,
                      0,
                      RelayHeap.ofThisProcess().guest(MOST).limitBytes())));
    }
    await().atMost(PATIENCE).until(() -> told.size() == 2);
    assertThat(told.get(0)).startsWith("io.sluice.program.opened ml-01 ").endsWith(", pid " + pid);
    assertThat(told.get(1)).startsWith("io.sluice.program.ended ml-01 ").endsWith(", pid " + pid);
  }

  @Test
  void resume_otherGpuThatThereIsNot_isRefused() throws Exception {
    serve();
    assertThatThrownBy(() -> programs.resume("ml-01", 7, "h100-b"))
        .hasMessageContaining("[SLU-PROG-002]");
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> !relay.programs().isEmpty());
      programs.suspend("ml-01", 1, 10);

      assertThatThrownBy(() -> programs.resume("ml-01", 1, "h100-c"))
          .hasMessageContaining("cannot resume CUDA program 1 of guest \"ml-01\" [SLU-DAEMON-004]");

      assertThat(programs.list("ml-01").get(0).state()).isEqualTo("suspended");
    }
    assertThat(opened).isEmpty();
  }

  @Test
  void resume_onOtherGpu_hasTheGuestThereUntilTheProgramLeaves() throws Exception {
    serve();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> told.size() == 1 && !relay.programs().isEmpty());
      programs.suspend("ml-01", 1, 10);

      programs.resume("ml-01", 1, "h100-b");

      assertThat(programs.list("ml-01").get(0).gpu()).isEqualTo("h100-b");
      assertThat(audited).endsWith("program-resume ml-01 1 on GPU h100-b");
      assertThat(told.getLast()).endsWith(", program 1 on GPU h100-b");
      assertThat(opened).containsExactly("open h100-b");
    }
    await().atMost(PATIENCE).until(() -> opened.size() == 2);
    assertThat(opened).containsExactly("open h100-b", "close h100-b");
  }

  @Test
  void resume_onTheGuestsGpu_letsTheOtherGo() throws Exception {
    serve();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> !relay.programs().isEmpty());
      programs.suspend("ml-01", 1, 10);
      programs.resume("ml-01", 1, "h100-b");
      programs.suspend("ml-01", 1, 10);
      programs.resume("ml-01", 1, "h100");
      programs.suspend("ml-01", 1, 10);
      programs.resume("ml-01", 1, "h100-b");

      assertThat(opened).containsExactly("open h100-b", "close h100-b", "open h100-b");
    }
  }

  @Test
  void resume_onOtherGpuThatRefuses_letsItGo() throws Exception {
    serve();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> !relay.programs().isEmpty());
      programs.suspend("ml-01", 1, 10);
      elsewhere.refuse(new RefusedException("SLU-RLY-007", Errno.EBUSY, "no room", ""));

      assertThatThrownBy(() -> programs.resume("ml-01", 1, "h100-b"))
          .hasMessageContaining("[SLU-PROG-010]")
          .hasMessageContaining("no room");

      assertThat(opened).containsExactly("open h100-b", "close h100-b");
      assertThat(programs.list("ml-01").get(0).gpu()).isEqualTo("h100");
      programs.resume("ml-01", 1, "");
    }
  }

  @Test
  void end_program_isSentAwayAndTheOtherGoesOn() throws Exception {
    serve();
    try (Fd one = connect()) {
      await().atMost(PATIENCE).until(() -> relay.programs().size() == 1);
      try (Fd _ = connect()) {
        await().atMost(PATIENCE).until(() -> relay.programs().size() == 2);

        programs.end("ml-01", 1);

        assertThat(isEnded(one)).isTrue();
        await().atMost(PATIENCE).until(() -> relay.programs().size() == 1);
        assertThat(audited).containsExactly("program-end ml-01 1");
      }
    }
  }

  @Test
  void suspend_program_isShownToldAndAuditedUntilItIsResumed() throws Exception {
    serve();
    try (Fd _ = connect()) {
      await().atMost(PATIENCE).until(() -> told.size() == 1 && !relay.programs().isEmpty());
      String program = told.get(0).substring("io.sluice.program.opened ".length());

      programs.suspend("ml-01", 1, 60);

      assertThat(relay.patienceNs()).isEqualTo(Duration.ofMinutes(1).toNanos());
      assertThat(programs.list("ml-01").get(0).state()).isEqualTo("suspended");

      programs.resume("ml-01", 1, "");

      assertThat(programs.list("ml-01").get(0).state()).isEqualTo("running");
      assertThat(audited).containsExactly("program-suspend ml-01 1", "program-resume ml-01 1");
      assertThat(told)
          .endsWith(
              "io.sluice.program.suspended " + program + ", program 1",
              "io.sluice.program.resumed " + program + ", program 1");
    }
  }

  @Test
  void leave_guestWithPrograms_sendsThemAway() throws Exception {
    serve();
    try (Fd one = connect();
        Fd other = connect()) {
      await().atMost(PATIENCE).until(() -> relay.programs().size() == 2);

      programs.leave("ml-01");

      assertThat(relay.programs()).isEmpty();
      assertThat(isEnded(one)).isTrue();
      assertThat(isEnded(other)).isTrue();
      assertThat(guest.cudaSocket()).doesNotExist();
      assertThat(programs.getGuests()).isEmpty();
    }
  }

  @Test
  void leave_manyTimes_leavesNoDescriptor() throws Exception {
    serve();
    programs.leave("ml-01");
    long before = descriptors();
    for (int i = 0; i < 5; i++) {
      FakeRelay another = new FakeRelay(real);
      programs.serve(guest, _ -> Optional.of(another), MemoryBudget.upTo(videoBytes::get), others);
      try (Fd _ = connect()) {
        await().atMost(PATIENCE).until(() -> another.programs().size() == 1);
        programs.leave("ml-01");
      }
    }
    assertThat(descriptors()).isEqualTo(before);
  }

  private static long descriptors() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }
}
