package io.sluice.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.runtime.Threads;
import io.sluice.testbed.checks.StandIn;
import io.sluice.testbed.fakes.LingeringFd;
import io.sluice.vdevice.ForeignFds;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that have sent a descriptor whose closing lasts, and that the door closes. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RelayDoorTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path dir;
  private final Kernel real = RealKernel.create();
  private final AtomicBoolean deaf = new AtomicBoolean(); // nobody can be accepted
  private final Threads threads = new Threads();
  private final FakeRelay relay = new FakeRelay(real);
  private final List<Fd> connections = new ArrayList<>();
  private final CudaPrograms programs =
      new CudaPrograms(
          new CudaPrograms.Surroundings(
              StandIn.of(Kernel.class, real, this::call),
              threads,
              System::nanoTime,
              Optional.empty(),
              (_, _) -> {},
              (_, _) -> {}));

  @SuppressWarnings("NullAway.Init")
  private GuestSettings guest;

  private @Nullable Object call(StandIn.Call call) throws Throwable {
    if (deaf.get() && call.is("accept")) {
      throw new SyscallException("accept4", "injected", Errno.EMFILE.number());
    }
    return call.pass();
  }

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
            name = "ml-01"
            cuda = true
            cuda-programs = "2"
            """
                .formatted(dir));
    guest = new ConfigLoader(Map.of(), Map.of()).load(file).guests().getFirst();
    programs.serve(
        guest, _ -> Optional.of(relay), MemoryBudget.upTo(() -> 1 << 20), new NoOtherGpus());
  }

  @AfterEach
  void leave() {
    connections.forEach(Fd::close);
    programs.leave(guest.name());
    assertThat(threads.join(Duration.ofSeconds(5))).isEmpty();
  }

  private Fd connect() {
    Fd made = real.connect(guest.cudaSocket());
    connections.add(made);
    return made;
  }

  /** As many programs as there may be, and those that are told why they do not come in. */
  private void fill() {
    int many = guest.programs().cudaPrograms() + RelayDoor.SPARE;
    for (int i = 0; i < many; i++) {
      Fd _ = connect();
    }
    await().atMost(PATIENCE).until(() -> relay.programs().size() == many);
  }

  /** One that waits to be accepted, has sent that, and is gone. */
  private void leaveBehind(LingeringFd lingering) {
    deaf.set(true);
    try (Fd program = real.connect(guest.cudaSocket());
        Arena arena = Arena.ofConfined()) {
      real.sendmsg(program, arena.allocate(1), List.of(lingering.fd()));
    }
    lingering.giveUp();
  }

  private int unclosed() {
    return programs.unclosed(guest.name());
  }

  private long turnedAway() {
    return Objects.requireNonNull(programs.getGuests().get(guest.name())).turnedAway();
  }

  @Test
  void close_programThatNobodyAccepted_sendsTheOthersAway() throws Exception {
    Fd one = connect();
    await().atMost(PATIENCE).until(() -> relay.programs().size() == 1);
    Thread leaving = threads.newThread(() -> programs.leave(guest.name()));
    try (LingeringFd lingering = new LingeringFd(real);
        Arena arena = Arena.ofConfined()) {
      leaveBehind(lingering);
      leaving.start();
      assertThat(real.recvmsg(one, arena.allocate(1), new FdList())).isZero();
      await().atMost(PATIENCE).until(() -> relay.programs().isEmpty());
    }
    assertThat(leaving.join(PATIENCE)).isTrue();
  }

  @Test
  void accept_programThatIsTurnedAway_keepsNobodyOut() throws Exception {
    fill();
    try (LingeringFd lingering = new LingeringFd(real)) {
      leaveBehind(lingering);
      deaf.set(false);
      await().atMost(PATIENCE).until(() -> unclosed() == 1);
      connections.forEach(Fd::close);
      await().atMost(PATIENCE).until(() -> relay.programs().isEmpty());
      Fd _ = connect();
      await().atMost(PATIENCE).until(() -> relay.programs().size() == 1);
    }
    await().atMost(PATIENCE).until(() -> unclosed() == 0);
  }

  /** Each that is turned away would leave one more. */
  @Test
  void accept_whileTooManyCannotBeClosed_turnsNobodyAway() throws Exception {
    fill();
    int waiting = 2 * ForeignFds.MOST_WAITING;
    int most = ForeignFds.MOST_WAITING + 1;
    try (LingeringFd lingering = new LingeringFd(real)) {
      leaveBehind(lingering);
      for (int i = 0; i < waiting; i++) {
        Fd _ = connect();
      }
      deaf.set(false);
      await().atMost(PATIENCE).until(() -> unclosed() >= most);
      assertThat(turnedAway()).isEqualTo(most);
    }
    await().atMost(PATIENCE).until(() -> turnedAway() == waiting + 1L);
  }
}
