package io.sluice.daemon.guest;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.RateLimit;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestRoom;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.relay.CudaPrograms;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.daemon.runtime.ProcessNames;
import io.sluice.daemon.sessions.SessionHosts;
import io.sluice.interrupt.InterruptForwarder;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestStatus;
import io.sluice.management.NotificationTypes;
import io.sluice.management.Problem;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.SocketFile;
import io.sluice.vdevice.DeviceHost;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.GuestSource;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.state.StateTransfers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** A guest that is served: its settings, its socket, its device. */
public final class GuestHost implements GuestSource, AutoCloseable {
  private static final int NO_UID = -1;

  /** Events that a guest, or who knocks at its socket, can cause at will. */
  private static final int EVENT_BURST = 16;

  private static final Duration EVENT_INTERVAL = Duration.ofMillis(250);

  private final GuestSettings settings;
  private final String origin;
  private final GpuHost gpu;
  private final Kernel kernel;
  private final SocketFile file;
  private final StateTransfers transfers;
  private final Consumer<DaemonEvent> events;
  private final RateLimit eventRate;
  private final Consumer<String> requireStaying;
  private final GuestSuspension suspension = new GuestSuspension();
  private final ChannelWatch.Killers killers = new ChannelWatch.Killers();
  private final SessionHosts hosts;
  private final Optional<ApiSessions> sessions;
  private final CudaPrograms programs;
  private final MemoryBudget heap;
  private final GuestDevice device;

  /** Of the client that is attached; used by the thread that serves it. */
  private @Nullable InterruptForwarder forwarder;

  private volatile boolean undecided;

  private GuestHost(
      GuestSettings settings,
      String origin,
      GpuHost gpu,
      Surroundings surroundings,
      SocketFile file,
      Path staged) {
    this.settings = settings;
    this.origin = origin;
    this.gpu = gpu;
    this.kernel = surroundings.host().kernel();
    this.file = file;
    this.transfers = surroundings.transfers();
    this.events = surroundings.events();
    this.eventRate = new RateLimit(EVENT_BURST, EVENT_INTERVAL, surroundings.host().clock());
    this.requireStaying = surroundings.requireStaying();
    this.hosts = surroundings.sessions();
    this.programs = surroundings.programs();
    this.heap = surroundings.tables().guest();
    this.sessions = programs.machine(settings, hosts.machine(settings), this::peer);
    this.device =
        new GuestDevice(
            settings.name(), staged, surroundings.host(), mostMapped(settings, kernel), this);
  }

  /** What a guest may have mapped; unless said otherwise, as much memory as the host has. */
  private static MapLimits mostMapped(GuestSettings settings, Kernel kernel) {
    MapLimits set = settings.maps();
    return set.bytes() == GuestSettings.HOST_MEMORY
        ? new MapLimits(kernel.hostLimits().memoryBytes(), set.maps())
        : set;
  }

  /**
   * The surroundings that all guests share.
   *
   * @param host what their devices run on
   * @param socketGroup may attach besides the daemon's user; empty for nobody
   * @param transfers how clients move their devices themselves
   * @param events told what happens to guests; must not wait
   * @param requireStaying throws when the daemon moves the guest of that name
   * @param sessions serves the API sessions of their programs
   * @param programs serves their CUDA programs
   * @param tables heap for their tables
   */
  public record Surroundings(
      DeviceHost host,
      Optional<GroupPrincipal> socketGroup,
      StateTransfers transfers,
      Consumer<DaemonEvent> events,
      Consumer<String> requireStaying,
      SessionHosts sessions,
      CudaPrograms programs,
      TableHeap tables) {}

  /**
   * Makes the guest's socket and begins to serve it.
   *
   * @param origin {@link GuestStatus#FROM_CONFIGURATION} or {@link GuestStatus#CREATED}
   * @param gpus where its CUDA programs may go
   */
  static GuestHost start(
      GuestSettings settings,
      String origin,
      GpuHost gpu,
      ProgramGpus.Finder gpus,
      Surroundings surroundings)
      throws OperationsException {
    SocketFile file =
        new SocketFile(
            settings.socket(),
            "the socket of guest \"" + settings.name() + "\",",
            ErrorCode.GUEST_SOCKET);
    GuestHost[] host = new GuestHost[1];
    boolean complete = false;
    surroundings.sessions().serve(settings); // before a machine attaches that has sessions
    try {
      file.publish(
          surroundings.socketGroup(),
          ErrorCode.GUEST_SOCKET,
          staged -> {
            host[0] = new GuestHost(settings, origin, gpu, surroundings, file, staged);
            host[0].device.start();
          });
      host[0].servePrograms(gpus);
      complete = true;
      return host[0];
    } catch (IOException | SluiceException e) {
      if (host[0] != null) {
        host[0].device.close();
      }
      throw Problem.of(
              ErrorCode.GUEST_SOCKET,
              "cannot make the socket of guest \"" + settings.name() + "\", " + settings.socket(),
              CauseText.of(e),
              CauseText.remedy(e, "check the directory and its permissions"))
          .exception();
    } finally {
      if (!complete) {
        surroundings.sessions().leave(settings.name());
      }
    }
  }

  /** When this throws the guest is closed. */
  private void servePrograms(ProgramGpus.Finder gpus) throws OperationsException, IOException {
    boolean complete = false;
    try {
      programs.serve(
          settings,
          limits -> gpu.relay(settings.name(), limits),
          gpu.shares().programMemory(settings.name()),
          new ProgramGpus(settings.name(), gpu, gpus));
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  public GuestSettings settings() {
    return settings;
  }

  /**
   * Where its machine's monitor is.
   *
   * @throws RefusedException it is another user's than who is attached
   */
  public Path monitor() {
    return MonitorAccess.of(settings, device.peer());
  }

  private Optional<PeerCredentials> peer() {
    return device.peer();
  }

  /** Lets its machine connect to a socket of the daemon's. */
  public void admit(Path socket) {
    device.peer().ifPresent(peer -> MonitorAccess.admit(socket, peer, kernel));
  }

  public String origin() {
    return origin;
  }

  public GuestDevice device() {
    return device;
  }

  public GpuHost gpu() {
    return gpu;
  }

  public boolean isAttached() {
    return device.peer().isPresent();
  }

  /** Whether who is attached is a machine: only one gives BAR 0 an address. */
  public boolean isMachine() {
    try {
      return isAttached() && device.pci().registersAddress() != 0;
    } catch (SluiceException _) {
      return false; // it has just left
    }
  }

  /**
   * Who has part of its GPU, and would lose that with it: its client, sessions, CUDA programs.
   *
   * @return its name and these in words, {@code web-01 (qemu, pid 4121)}; nothing when nobody has
   */
  public Optional<String> users() {
    List<String> users = new ArrayList<>();
    device.peer().map(GuestHost::client).ifPresent(users::add);
    addCount(users, hosts.count(settings.name()), "session");
    addCount(users, programs.count(settings.name()), "CUDA program");
    return users.isEmpty()
        ? Optional.empty()
        : Optional.of(settings.name() + " (" + String.join("; ", users) + ")");
  }

  /** Who is attached, for messages: {@code web-01 (qemu, pid 4121)}. */
  public String describe() {
    return device
        .peer()
        .map(peer -> settings.name() + " (" + client(peer) + ")")
        .orElse(settings.name());
  }

  private static String client(PeerCredentials peer) {
    return peer.pid() == 0
        ? "a process of another pid namespace, uid " + peer.uid()
        : program(peer) + ", pid " + peer.pid();
  }

  private static void addCount(List<String> users, int count, String what) {
    if (count > 0) {
      users.add(count + " " + what + (count == 1 ? "" : "s"));
    }
  }

  /** Descriptors that came from it, and connections, that wait to be closed. */
  int unclosed() {
    return device.descriptorsWaiting()
        + programs.unclosed(settings.name())
        + hosts.unclosed(settings.name());
  }

  /** Model of its GPU. */
  public String gpuModel() {
    return gpu.gpu().info().model();
  }

  public GuestStatus status() {
    Optional<PeerCredentials> peer = device.peer();
    QuotaStatus quota = quota();
    long programBytes = gpu.shares().programBytes(settings.name());
    return new GuestStatus(
        settings.name(),
        settings.uuid().toString(),
        state(peer.isPresent()),
        gpu.name(),
        gpuModel(),
        origin,
        settings.socket().toString(),
        peer.map(PeerCredentials::pid).orElse(0),
        peer.map(PeerCredentials::uid).orElse(NO_UID),
        peer.map(GuestHost::program).orElse(""),
        ask(guest -> guest.channels().count(), 0),
        maxChannels(),
        ask(guest -> guest.buffers().use().videoBytes(), 0L) + programBytes,
        programBytes > 0
            ? quota.shareBytes()
            : ask(guest -> guest.buffers().use().limitBytes(), quota.limitBytes()));
  }

  private String state(boolean attached) {
    if (undecided) {
      return GuestStatus.UNDECIDED;
    }
    if (!attached) {
      return GuestStatus.WAITING;
    }
    if (suspension.isSuspended()) {
      return GuestStatus.SUSPENDED;
    }
    boolean begun = isMachine() || !Files.exists(settings.qmp());
    return begun ? GuestStatus.RUNNING : GuestStatus.ATTACHED;
  }

  /** Whether nobody says whose it is, after a migration that was cut off in its last moment. */
  public void setUndecided(boolean now) {
    undecided = now;
  }

  /** What it may have of its GPU, and what it has. */
  public QuotaStatus quota() {
    return gpu.shares().status(settings.name(), settings.quota());
  }

  /** Asks the guest that is attached, if there is one and it does not leave meanwhile. */
  <T> T ask(Function<Guest, T> question, T otherwise) {
    try {
      return device.guest().map(question).orElse(otherwise);
    } catch (SluiceException _) {
      return otherwise;
    }
  }

  // ---- GuestSource ----

  @Override
  public Guest open(GuestListener listener) {
    return delivered(new Guest(settings.name(), gpu.gpu(), room(), kernel, watched(listener)));
  }

  private Guest delivered(Guest guest) {
    try {
      gpu.shares().attach(guest);
      forwarder = gpu.deliver(guest);
    } catch (SluiceException e) {
      gpu.shares().detach(guest);
      guest.close();
      throw e;
    }
    events.accept(
        new DaemonEvent(
            NotificationTypes.GUEST_ATTACHED,
            settings.name(),
            device
                .peer()
                .map(this::clientFields)
                .orElse(ImmutableMap.of("guest", settings.name()))));
    return guest;
  }

  private GuestListener watched(GuestListener listener) {
    ChannelWatch channels =
        new ChannelWatch(
            settings.name(),
            gpu.name(),
            listener,
            id -> device.guest().ifPresent(guest -> suspension.onCreated(guest, id)),
            killers,
            this::tellOften);
    return new ExcessWatch(settings.name(), gpu.excessLimit(), channels, this::expel);
  }

  /** What a guest can cause as often as it likes is not told as often. */
  private void tellOften(DaemonEvent event) {
    if (eventRate.tryTake()) {
      events.accept(event);
    }
  }

  private ImmutableMap<String, Object> clientFields(PeerCredentials peer) {
    return ImmutableMap.of(
        "guest",
        settings.name(),
        "clientPid",
        peer.pid(),
        "clientUid",
        peer.uid(),
        "clientName",
        program(peer));
  }

  private void expel() {
    device.expel();
  }

  @Override
  public Guest adopt(GuestListener listener, Gpu.AdoptedFiles files) {
    return delivered(
        Guest.adopting(settings.name(), gpu.gpu(), files, room(), kernel, watched(listener)));
  }

  private GuestRoom room() {
    return new GuestRoom(gpu.slots(), heap);
  }

  @Override
  public MemoryBudget heap() {
    return heap;
  }

  @Override
  public void refused(PeerCredentials who) {
    ImmutableMap<String, Object> fields =
        ImmutableMap.<String, Object>builder()
            .putAll(clientFields(who))
            .put("attachedPid", device.peer().map(PeerCredentials::pid).orElse(0))
            .buildOrThrow();
    tellOften(
        new DaemonEvent(
            NotificationTypes.GUEST_REFUSED,
            settings.name() + ": " + program(who) + ", pid " + who.pid() + ": it has a client",
            fields));
  }

  @Override
  public Optional<StateTransfers> transfers() {
    return Optional.of(transfers);
  }

  @Override
  public Optional<ApiSessions> sessions() {
    return sessions;
  }

  @Override
  public void release(Guest guest) {
    if (forwarder != null) {
      forwarder.close();
      forwarder = null;
    }
    gpu.shares().detach(guest);
    guest.close();
    suspension.forget();
    events.accept(DaemonEvent.ofGuest(NotificationTypes.GUEST_LEFT, settings.name()));
  }

  /** Sends its programs away, detaches whoever is attached, and removes the sockets. */
  @Override
  public void close() throws IOException {
    try (Ending _ = () -> hosts.leave(settings.name());
        Ending _ = device::close;
        Ending _ = file::delete) {
      programs.leave(settings.name());
    }
  }

  /** A part of the end, which comes also when one before it has failed. */
  private interface Ending extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /** Removes what was kept for the next start; it is closed. */
  void forget() {
    hosts.forget(settings);
  }

  int maxChannels() {
    int ids = gpu.gpu().info().maxChannels() - 1; // id 0 is none
    return Math.min(settings.slots().channels(), ids);
  }

  /** Most address spaces that it may have. */
  int maxAddressSpaces() {
    int ids = gpu.gpu().info().maxAddressSpaces() - 1; // id 0 is none
    return Math.min(settings.slots().addressSpaces(), ids);
  }

  /** Whether an operator has suspended it. */
  public boolean isSuspended() {
    return suspension.isSuspended();
  }

  GuestSuspension suspension() {
    return suspension;
  }

  ChannelWatch.Killers killers() {
    return killers;
  }

  /** Tells operators. */
  void tell(DaemonEvent event) {
    events.accept(event);
  }

  /**
   * Refuses what would disturb a move.
   *
   * @throws SluiceException when the daemon moves it
   */
  void requireStaying() {
    requireStaying.accept(settings.name());
  }

  private static String program(PeerCredentials peer) {
    return ProcessNames.ofPeer(peer.pid());
  }
}
