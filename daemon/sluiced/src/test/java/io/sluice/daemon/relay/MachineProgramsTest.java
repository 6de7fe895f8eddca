package io.sluice.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.relay.RelaySession;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.runtime.Threads;
import io.sluice.management.CudaStatus;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** CUDA programs as sessions of their machine's device, with the real kernel. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MachineProgramsTest {
  private static final int MOST = 2;
  private static final long SEGMENT = 16L << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path dir;
  private final Kernel kernel = RealKernel.create();
  private final Threads threads = new Threads();
  private final FakeRelay relay = new FakeRelay(kernel);
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final CudaPrograms programs =
      new CudaPrograms(
          new CudaPrograms.Surroundings(
              kernel,
              threads::newThread,
              System::nanoTime,
              Optional.empty(),
              (type, message) -> told.add(type),
              (_, _) -> {}));
  private final AtomicReference<Optional<PeerCredentials>> machine =
      new AtomicReference<>(Optional.of(new PeerCredentials(1, 0, 0)));
  private final Fd notify = kernel.eventfd(0, Kernel.NONBLOCK);
  private final Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
  private final List<Errno> ended = new CopyOnWriteArrayList<>();
  private final List<ApiSessions.Opened> opened = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private GuestSettings guest;

  @SuppressWarnings("NullAway.Init")
  private ApiSessions sessions;

  @BeforeEach
  void serve() throws Exception {
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
            """
                .formatted(dir, MOST));
    DaemonConfig config = new ConfigLoader(Map.of(), Map.of()).load(file);
    guest = config.guests().get(1);
    assertThat(programs.machine(config.guests().get(0), Optional.empty(), machine::get)).isEmpty();
    sessions = programs.machine(guest, Optional.empty(), machine::get).orElseThrow();
    programs.serve(
        guest, _ -> Optional.of(relay), MemoryBudget.upTo(() -> 1 << 20), new NoOtherGpus());
  }

  @AfterEach
  void nothingIsLeft() {
    opened.forEach(ApiSessions.Opened::close);
    programs.leave(guest.name());
    assertThat(threads.join(PATIENCE)).isEmpty();
    assertThat(relay.failures()).isEmpty();
    notify.close();
    doorbell.close();
  }

  /** Memory of a machine in two pieces, the second one first. */
  private SessionMemory memory(Fd file, long bytes) {
    long half = bytes / 8192 * 4096;
    return new SessionMemory(
        ImmutableList.of(kernel.dup(file)),
        ImmutableList.of(
            new SessionMemory.FileRange(0, half, bytes - half),
            new SessionMemory.FileRange(0, 0, half)));
  }

  private ApiSessions.Opened open(Fd file) {
    return open(file, doorbell);
  }

  private ApiSessions.Opened open(Fd file, Fd door) {
    try (SessionMemory memory = memory(file, GuestAbi.API_SEGMENT_LEAST)) {
      ApiSessions.Opened session =
          sessions.open(GuestAbi.API_CUDA, memory, door, notify, ended::add);
      opened.add(session);
      return session;
    }
  }

  private Fd file(long bytes) {
    return kernel.memfdCreate("machine", bytes);
  }

  private void add(ApiSessions.Opened session, int index, long bytes) {
    try (Fd file = file(bytes);
        SessionMemory memory = memory(file, bytes)) {
      session.add(index, memory);
    }
  }

  /** More pieces than a sixteenth of the mappings that a process may have here. */
  private void addInPages(ApiSessions.Opened session, int index, long bytes, String refused) {
    if (kernel.hostLimits().mappings() / 16 >= bytes / 4096) {
      return; // a host where that is not to be had
    }
    try (Fd file = file(bytes);
        SessionMemory scattered =
            new SessionMemory(
                ImmutableList.of(kernel.dup(file)),
                LongStream.range(0, bytes / 4096)
                    .mapToObj(page -> new SessionMemory.FileRange(0, page * 4096, 4096))
                    .collect(ImmutableList.toImmutableList()))) {
      assertThatThrownBy(() -> session.add(index, scattered)).hasMessageContaining(refused);
    }
  }

  @Test
  void open_anotherApi_isRefused() {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST);
        SessionMemory memory = memory(file, GuestAbi.API_SEGMENT_LEAST)) {
      assertThatThrownBy(
              () -> sessions.open(GuestAbi.API_OPENCL, memory, doorbell, notify, ended::add))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("no sessions of this API");
    }
  }

  @Test
  void open_machineThatHasLeft_isRefused() {
    machine.set(Optional.empty());
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST)) {
      assertThatThrownBy(() -> open(file)).hasMessageContaining("the machine has left");
    }
  }

  @Test
  void open_guestThatIsServedNoLonger_isRefused() {
    programs.leave(guest.name());
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST)) {
      assertThatThrownBy(() -> open(file)).hasMessageContaining("no CUDA programs");
    }
  }

  @Test
  void open_longerThanItNeeds_isRefused() {
    long bytes = GuestAbi.API_SEGMENT_LEAST + 4096;
    try (Fd file = file(bytes);
        SessionMemory memory = memory(file, bytes)) {
      assertThatThrownBy(
              () -> sessions.open(GuestAbi.API_CUDA, memory, doorbell, notify, ended::add))
          .hasMessageContaining("another length");
    }
  }

  /** Its weight may have changed, and other guests' may. */
  @Test
  void time_ofProgramsInMachinesAlone_isLookedAtAgainAndAgain() {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST)) {
      open(file);
      int before = relay.refreshes();
      await().atMost(PATIENCE).until(() -> relay.refreshes() > before + 2);
    }
  }

  @Test
  void open_moreThanThereMayBe_areTurnedAway() {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST)) {
      for (int i = 0; i < MOST + RelayDoor.SPARE; i++) {
        open(file);
      }
      assertThatThrownBy(() -> open(file)).hasMessageContaining("too many CUDA programs");
    }
    assertThat(ended).isEmpty();
  }

  @Test
  void open_againAndAgain_hasAPace() {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100 * RelayDoor.BURST; i++) {
                  open(file).close();
                }
              })
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("too many CUDA programs");
    }
    assertThat(programs.getGuests().get(guest.name()))
        .extracting(CudaStatus::turnedAway)
        .isEqualTo(1L);
  }

  @Test
  void program_thatAsks_isGivenWhatItWants() {
    long bytes = GuestAbi.API_SEGMENT_LEAST;
    long half = bytes / 8192 * 4096;
    try (Fd file = file(bytes);
        Mapping mapping = kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      ApiSessions.Opened session = open(file);
      assertThatThrownBy(() -> add(session, 1, SEGMENT)).hasMessageContaining("did not want");

      MemorySegment begin = mapping.segment().asSlice(half); // the pieces are the other way round
      MemorySegment message = begin.asSlice(RelaySession.MESSAGE, RelayRequest.SIZE);
      RelayRequest.BYTES.set(message, RelayRequest.SIZE);
      RelayRequest.LENGTH.set(message, 4096);
      begin.set(ValueLayout.JAVA_INT, RelaySession.REQUESTS, 1);
      kernel.signal(doorbell);
      await().atMost(PATIENCE).until(() -> word(begin, RelaySession.REPLIES) == 1);
      assertThat(word(begin, RelaySession.WANTED)).isEqualTo(1);
      assertThatThrownBy(() -> add(session, 1, SEGMENT / 2)).hasMessageContaining("did not want");
      assertThatThrownBy(() -> add(session, 2, SEGMENT)).hasMessageContaining("did not want");
      addInPages(session, 1, SEGMENT, "too many pieces");
      add(session, 1, SEGMENT);
      assertThatThrownBy(() -> add(session, 1, SEGMENT)).hasMessageContaining("did not want");
      RelayRequest.OP.setBits(message, RelayRequest.MEMORY);
      begin.set(ValueLayout.JAVA_INT, RelaySession.REQUESTS, 2);
      kernel.signal(doorbell);
      await().atMost(PATIENCE).until(() -> word(begin, RelaySession.REPLIES) == 2);
      assertThat(word(begin, RelaySession.WANTED)).isZero();
      assertThat(kernel.drain(notify)).isPositive();
    }
  }

  private static int word(MemorySegment begin, long at) {
    return (int) ValueLayout.JAVA_INT.varHandle().getAcquire(begin, at);
  }

  @Test
  void end_isSoonOver_andTold() {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST)) {
      ApiSessions.Opened session = open(file);
      assertThat(session.isGone()).isFalse();
      await().atMost(PATIENCE).until(session::end);
      assertThat(session.isGone()).isTrue();
      assertThat(session.goOn()).isFalse();
      await().atMost(PATIENCE).until(() -> ended.equals(List.of(Errno.EPIPE)));
    }
    await().atMost(PATIENCE).until(() -> told.size() == 2);
  }

  /** A machine that takes its memory away while the relay looks at it. */
  @Test
  void memoryThatGoes_endsThatProgramAlone() throws Exception {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST);
        Fd other = file(GuestAbi.API_SEGMENT_LEAST);
        Fd otherDoor = kernel.eventfd(0, Kernel.NONBLOCK)) {
      ApiSessions.Opened session = open(file);
      ApiSessions.Opened bystander = open(other, otherDoor);
      try (FileChannel channel =
          FileChannel.open(Path.of("/proc/self/fd/" + file.number()), StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      kernel.signal(doorbell);
      await().atMost(PATIENCE).until(session::isGone);
      assertThat(bystander.isGone()).isFalse();
    }
  }

  @Test
  void moves_areRefusedByName() {
    try (Fd file = file(GuestAbi.API_SEGMENT_LEAST);
        SessionMemory memory = memory(file, GuestAbi.API_SEGMENT_LEAST)) {
      ApiSessions.Opened session = open(file);
      assertThat(session.leave(notify)).isCompletedExceptionally();
      assertThat(session.tryOut(notify))
          .failsWithin(PATIENCE)
          .withThrowableThat()
          .withMessageContaining("SLU-PROG-008");
      assertThat(session.endTrial()).isCompleted();
      session.halt();
      session.stay();
      assertThat(session.isGone()).isFalse();
      assertThatThrownBy(() ->
              sessions.arrive(GuestAbi.API_CUDA, memory, doorbell, notify, notify, ended::add))
          .hasMessageContaining("SLU-PROG-008");
    }
    assertThat(sessions.mostMemoryBytes()).isZero();
  }
}
