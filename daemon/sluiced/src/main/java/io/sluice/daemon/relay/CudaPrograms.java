package io.sluice.daemon.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.channel.nvidia.relay.RelayLimits;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.ProcessNames;
import io.sluice.management.CudaProgramStatus;
import io.sluice.management.CudaStatus;
import io.sluice.management.ErrorCode;
import io.sluice.management.NotificationTypes;
import io.sluice.management.Problem;
import io.sluice.management.ProgramsMXBean;
import io.sluice.vdevice.session.ApiSessions;
import java.io.IOException;
import java.nio.file.attribute.GroupPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The CUDA programs of all guests that take some, and what an operator sees of them. */
public final class CudaPrograms implements ProgramsMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(CudaPrograms.class);

  /** The longest that a program's work is waited for. */
  private static final long MOST_WAIT_S = 3600;

  private final Surroundings surroundings;
  private final RelayHeap heap = RelayHeap.ofThisProcess();
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<String, Served> guests = new TreeMap<>();

  /**
   * The surroundings of all doors.
   *
   * @param nanoTime monotonic
   * @param socketGroup may connect besides the daemon's user; empty for nobody
   * @param tell a notification's type and message
   * @param audit an operator's deed and its program, for the log
   */
  public record Surroundings(
      Kernel kernel,
      ThreadFactory threads,
      LongSupplier nanoTime,
      Optional<GroupPrincipal> socketGroup,
      BiConsumer<String, String> tell,
      BiConsumer<String, String> audit) {}

  /** A guest whose programs are served. */
  private record Served(RelayDoor door, RelayLimits limits) {
    CudaStatus status() {
      List<ProgramStatus> programs = door.relay().programs();
      return new CudaStatus(
          door.guest().name(),
          door.guest().cudaSocket().toString(),
          programs.size(),
          limits.programs(),
          door.turnedAway(),
          programs.stream().mapToLong(ProgramStatus::videoBytes).sum(),
          limits.video().limitBytes(),
          programs.stream().mapToLong(ProgramStatus::hostBytes).sum(),
          limits.hostBytes().getAsLong(),
          limits.heap().bytes(),
          limits.heap().limitBytes());
    }

    List<CudaProgramStatus> programs() {
      return door.relay().programs().stream().map(this::status).toList();
    }

    private CudaProgramStatus status(ProgramStatus program) {
      return new CudaProgramStatus(
          door.guest().name(),
          program.number(),
          program.gpu(),
          program.peer().pid(),
          program.peer().uid(),
          ProcessNames.ofPeer(program.peer().pid()),
          program.files(),
          program.channels(),
          program.calls(),
          program.refused(),
          program.videoBytes(),
          program.hostBytes(),
          program.evictedBytes(),
          program.state().name().toLowerCase(Locale.ROOT));
    }
  }

  /** A change of whether a program has the GPU. */
  private enum Turn {
    SUSPEND("suspend", ErrorCode.PROGRAM_SUSPEND, NotificationTypes.PROGRAM_SUSPENDED),
    RESUME("resume", ErrorCode.PROGRAM_RESUME, NotificationTypes.PROGRAM_RESUMED);

    private final String verb;
    private final ErrorCode refused;
    private final String done;

    Turn(String verb, ErrorCode refused, String done) {
      this.verb = verb;
      this.refused = refused;
      this.done = done;
    }
  }

  public CudaPrograms(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /**
   * Begins to serve a guest's programs, if it takes any.
   *
   * @param gpu begins to relay them, if the GPU can
   * @param video the guest's video memory, as far as its programs may have it
   * @param others where they may go
   */
  public void serve(
      GuestSettings guest,
      Function<RelayLimits, Optional<ProgramRelay>> gpu,
      MemoryBudget video,
      OtherGpus others)
      throws OperationsException {
    if (!guest.programs().cuda()) {
      return;
    }
    long hostBytes = guest.programs().cudaHostBytes();
    int most = guest.programs().cudaPrograms();
    RelayLimits limits = new RelayLimits(most, video, () -> hostBytes, heap.guest(most));
    String failed = "cannot serve the CUDA programs of guest \"" + guest.name() + "\"";
    ProgramRelay relay = gpu.apply(limits).orElseThrow(() -> noRelay(failed, guest));
    try {
      GuestRelays relays = new GuestRelays(guest.gpu(), relay, others);
      RelayDoor door = RelayDoor.open(guest, relays, surroundings);
      synchronized (lock) {
        guests.put(guest.name(), new Served(door, limits));
      }
    } catch (IOException | SluiceException e) {
      throw Problem.of(
              ErrorCode.PROGRAM_SOCKET,
              failed,
              CauseText.of(e),
              "check the directory of " + guest.cudaSocket())
          .exception();
    }
  }

  /**
   * The sessions of a guest's machine: those of its CUDA programs, if it takes some, beside others.
   *
   * @param others what other sessions it has
   * @param machine the process that is the machine, while there is one
   */
  public Optional<ApiSessions> machine(
      GuestSettings guest,
      Optional<ApiSessions> others,
      Supplier<Optional<PeerCredentials>> machine) {
    if (!guest.programs().cuda()) {
      return others;
    }
    MachinePrograms own =
        new MachinePrograms(
            surroundings.kernel(),
            guest.programs().cudaPrograms(),
            () -> door(guest.name()),
            machine);
    return Optional.of(new RoutedSessions(own, others));
  }

  private Optional<RelayDoor> door(String guest) {
    synchronized (lock) {
      return Optional.ofNullable(guests.get(guest)).map(Served::door);
    }
  }

  private static OperationsException noRelay(String failed, GuestSettings guest) {
    return Problem.of(
            ErrorCode.PROGRAM_GPU,
            failed,
            "GPU \"" + guest.gpu() + "\" is none of NVIDIA's driver",
            "give the guest another GPU, or remove its cuda")
        .exception();
  }

  /** Sends a guest's programs away, if it has any; nothing of them is left then. */
  public void leave(String guest) {
    Served served;
    synchronized (lock) {
      served = guests.remove(guest);
    }
    if (served == null) {
      return;
    }
    try {
      served.door().close();
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .setCause(e)
          .log("the socket of a guest's CUDA programs is left behind");
    }
  }

  /** How many programs of a guest there are. */
  public int count(String guest) {
    return door(guest).map(door -> door.relay().programs().size()).orElse(0);
  }

  /** Descriptors of a guest's programs that wait to be closed. */
  public int unclosed(String guest) {
    return door(guest).map(RelayDoor::unclosed).orElse(0);
  }

  @Override
  public Map<String, CudaStatus> getGuests() {
    Map<String, CudaStatus> statuses = new TreeMap<>();
    all().forEach((name, served) -> statuses.put(name, served.status()));
    return statuses;
  }

  @Override
  public List<CudaProgramStatus> list(String guest) throws OperationsException {
    if (!guest.isEmpty()) {
      return find("cannot list CUDA programs", guest).programs();
    }
    List<CudaProgramStatus> found = new ArrayList<>();
    all().values().forEach(served -> found.addAll(served.programs()));
    return found;
  }

  @Override
  public void end(String guest, long program) throws OperationsException {
    String failed = failed("end", guest, program);
    if (!find(failed, guest).door().relay().end(program)) {
      throw unknown(failed);
    }
    surroundings.audit().accept("program-end", guest + " " + program);
  }

  @Override
  public void suspend(String guest, long program, long waitSeconds) throws OperationsException {
    if (waitSeconds < 1 || waitSeconds > MOST_WAIT_S) {
      throw Problem.of(
              ErrorCode.USAGE,
              failed(Turn.SUSPEND.verb, guest, program),
              "its work cannot be waited for " + waitSeconds + " seconds",
              "give 1 to " + MOST_WAIT_S)
          .exception();
    }
    long patienceNs = TimeUnit.SECONDS.toNanos(waitSeconds);
    change(Turn.SUSPEND, guest, program, "", door -> door.relay().suspend(program, patienceNs));
  }

  @Override
  public void resume(String guest, long program, String gpu) throws OperationsException {
    if (gpu.isEmpty()) {
      change(Turn.RESUME, guest, program, "", door -> door.relay().resume(program));
      return;
    }
    String failed = failed(Turn.RESUME.verb, guest, program);
    RelayDoor door = find(failed, guest).door();
    requireProgram(failed, door, program);
    try (GuestRelays.Stay stay = door.relays().begin(failed, gpu)) {
      change(Turn.RESUME, guest, program, " on GPU " + gpu, _ -> stay.relay().resumeHere(program));
    }
  }

  private static ProgramStatus requireProgram(String failed, RelayDoor door, long program)
      throws OperationsException {
    return door.relay().programs().stream()
        .filter(each -> each.number() == program)
        .findFirst()
        .orElseThrow(() -> unknown(failed));
  }

  /**
   * Changes whether a program has the GPU, and says so.
   *
   * @param where it has the GPU then, for the message; empty when that is as it was
   * @param act false when there is no such program
   */
  private void change(Turn turn, String guest, long program, String where, Predicate<RelayDoor> act)
      throws OperationsException {
    String failed = failed(turn.verb, guest, program);
    RelayDoor door = find(failed, guest).door();
    PeerCredentials peer = requireProgram(failed, door, program).peer();
    try {
      if (!apart(() -> act.test(door))) { // it has left meanwhile
        throw unknown(failed);
      }
    } catch (RefusedException e) {
      throw Problem.of(
              turn.refused, failed, CauseText.of(e), CauseText.remedy(e, turn.refused.remedy()))
          .exception();
    }
    surroundings.audit().accept("program-" + turn.verb, guest + " " + program + where);
    door.tell(turn.done, RelayDoor.text(peer) + ", program " + program + where);
  }

  /** On a thread of its own, which gives up its privileges. */
  private boolean apart(Callable<Boolean> act) {
    FutureTask<Boolean> task = new FutureTask<>(act);
    surroundings.threads().newThread(task).start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted; the program goes on without an answer", e);
    }
  }

  private static String failed(String verb, String guest, long program) {
    return "cannot " + verb + " CUDA program " + program + " of guest \"" + guest + "\"";
  }

  private static OperationsException unknown(String failed) {
    return Problem.of(
            ErrorCode.PROGRAM_UNKNOWN,
            failed,
            "there is no such program",
            "sluicectl program list shows those there are")
        .exception();
  }

  private Map<String, Served> all() {
    synchronized (lock) {
      return new TreeMap<>(guests);
    }
  }

  private Served find(String failed, String guest) throws OperationsException {
    Map<String, Served> all = all();
    Served served = all.get(guest);
    if (served == null) {
      throw Problem.of(
              ErrorCode.PROGRAM_GUEST,
              failed,
              "it is no guest that takes CUDA programs",
              all.isEmpty()
                  ? "set cuda in its [[guest]], and restart the daemon"
                  : "there are " + String.join(", ", all.keySet()))
          .exception();
    }
    return served;
  }
}
