package io.sluice.daemon.guest;

import io.sluice.abi.RateLimit;
import io.sluice.abi.SluiceException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu.HeapUsage;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.relay.CudaPrograms;
import io.sluice.daemon.runtime.Audit;
import io.sluice.daemon.runtime.ProcessNames;
import io.sluice.interrupt.InterruptForwarder;
import io.sluice.management.ChannelStatus;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestCounters;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.Problem;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.SocketFile;
import io.sluice.vdevice.DeviceCounters;
import io.sluice.vdevice.DeviceHost;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.GuestSource;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.state.StateTransfers;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** A guest that is served: its settings, its socket, its device; and what JMX shows of it. */
public final class GuestHost implements GuestMXBean, GuestSource, AutoCloseable {
  private static final int NO_UID = -1;

  private final GuestSettings settings;
  private final String origin;
  private final GpuHost gpu;
  private final Kernel kernel;
  private final SocketFile file;
  private final StateTransfers transfers;
  private final BiConsumer<GuestHost, Boolean> onAttach;
  private final Optional<ApiSessions> sessions;
  private final CudaPrograms programs;
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
    this.onAttach = surroundings.onAttach();
    this.sessions = surroundings.sessions().apply(settings);
    this.programs = surroundings.programs();
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
   * @param onAttach told when a client attaches (true) and when it has left (false)
   * @param sessions who serves the API sessions of a guest's machine, if anybody does
   * @param programs serves their CUDA programs
   */
  public record Surroundings(
      DeviceHost host,
      Optional<GroupPrincipal> socketGroup,
      StateTransfers transfers,
      BiConsumer<GuestHost, Boolean> onAttach,
      Function<GuestSettings, Optional<ApiSessions>> sessions,
      CudaPrograms programs) {}

  /**
   * Makes the guest's socket and begins to serve it.
   *
   * @param origin {@link GuestStatus#FROM_CONFIGURATION} or {@link GuestStatus#CREATED}
   */
  static GuestHost start(
      GuestSettings settings, String origin, GpuHost gpu, Surroundings surroundings)
      throws OperationsException {
    SocketFile file =
        new SocketFile(
            settings.socket(),
            "the socket of guest \"" + settings.name() + "\",",
            ErrorCode.GUEST_SOCKET);
    GuestHost[] host = new GuestHost[1];
    try {
      file.publish(
          surroundings.socketGroup(),
          ErrorCode.GUEST_SOCKET,
          staged -> {
            host[0] = new GuestHost(settings, origin, gpu, surroundings, file, staged);
            host[0].device.start();
          });
      host[0].servePrograms();
      return host[0];
    } catch (IOException | SluiceException e) {
      if (host[0] != null) {
        host[0].device.close();
      }
      throw Problem.of(
              ErrorCode.GUEST_SOCKET,
              "cannot make the socket of guest \"" + settings.name() + "\", " + settings.socket(),
              e.toString(),
              "check the directory and its permissions")
          .exception();
    }
  }

  /** When this throws the guest is closed. */
  private void servePrograms() throws OperationsException, IOException {
    boolean complete = false;
    try {
      programs.serve(
          settings, limits -> gpu.relay(settings.name(), limits), () -> quota().limitBytes());
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

  String origin() {
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

  /** Who is attached, for messages: {@code web-01 (qemu, pid 4121)}. */
  public String describe() {
    return device
        .peer()
        .map(peer -> settings.name() + " (" + program(peer) + ", pid " + peer.pid() + ")")
        .orElse(settings.name());
  }

  public GuestStatus status() {
    Optional<PeerCredentials> peer = device.peer();
    long limit = quota().limitBytes();
    return new GuestStatus(
        settings.name(),
        settings.uuid().toString(),
        state(peer.isPresent()),
        gpu.name(),
        gpu.gpu().info().model(),
        origin,
        settings.socket().toString(),
        peer.map(PeerCredentials::pid).orElse(0),
        peer.map(PeerCredentials::uid).orElse(NO_UID),
        peer.map(GuestHost::program).orElse(""),
        ask(guest -> guest.channels().ids().size(), 0),
        getMaxChannels(),
        ask(guest -> guest.buffers().use().videoBytes(), 0L),
        ask(guest -> guest.buffers().use().limitBytes(), limit));
  }

  private String state(boolean attached) {
    if (undecided) {
      return GuestStatus.UNDECIDED;
    }
    return attached ? GuestStatus.RUNNING : GuestStatus.WAITING;
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
  private <T> T ask(Function<Guest, T> question, T otherwise) {
    try {
      return device.guest().map(question).orElse(otherwise);
    } catch (SluiceException _) {
      return otherwise;
    }
  }

  // ---- GuestSource ----

  @Override
  public Guest open(GuestListener listener) {
    return delivered(new Guest(settings.name(), gpu.gpu(), gpu.slots(), kernel, watched(listener)));
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
    onAttach.accept(this, true);
    return guest;
  }

  private GuestListener watched(GuestListener listener) {
    return new ExcessWatch(settings.name(), gpu.excessLimit(), listener, this::expel);
  }

  private void expel() {
    device.expel();
  }

  @Override
  public Guest adopt(GuestListener listener, Gpu.AdoptedFiles files) {
    return delivered(
        Guest.adopting(settings.name(), gpu.gpu(), files, gpu.slots(), kernel, watched(listener)));
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
    onAttach.accept(this, false);
  }

  /** Sends its programs away, detaches whoever is attached, and removes the sockets. */
  @Override
  public void close() throws IOException {
    programs.leave(settings.name());
    try {
      file.delete();
    } finally {
      device.close();
    }
  }

  // ---- GuestMXBean ----

  @Override
  public String getName() {
    return settings.name();
  }

  @Override
  public String getUuid() {
    return settings.uuid().toString();
  }

  @Override
  public String getState() {
    return status().state();
  }

  @Override
  public String getGpu() {
    return gpu.name();
  }

  @Override
  public String getSocketPath() {
    return settings.socket().toString();
  }

  @Override
  public String getQmpPath() {
    return settings.qmp().toString();
  }

  @Override
  public int getClientPid() {
    return status().clientPid();
  }

  @Override
  public int getClientUid() {
    return status().clientUid();
  }

  @Override
  public String getClientName() {
    return status().clientName();
  }

  @Override
  public long getMemoryUsedBytes() {
    return status().memoryUsedBytes();
  }

  @Override
  public long getMemoryLimitBytes() {
    return status().memoryLimitBytes();
  }

  @Override
  public int getMaxChannels() {
    int ids = gpu.gpu().info().maxChannels() - 1; // id 0 is none
    return Math.min(settings.slots().channels(), ids);
  }

  @Override
  public Map<Integer, ChannelStatus> getChannels() {
    Map<Integer, ChannelStatus> channels = new TreeMap<>();
    device
        .guest()
        .ifPresent(guest -> {
          for (int id : guest.channels().ids()) {
            query(guest, id).ifPresent(status -> channels.put(id, status));
          }
        });
    return channels;
  }

  private static Optional<ChannelStatus> query(Guest guest, int id) {
    try {
      Channel.Status info = guest.channels().query(id);
      return Optional.of(
          new ChannelStatus(
              id,
              info.state().name().toLowerCase(Locale.ROOT),
              ChannelErrors.name(info.cause().reason()),
              info.cause().address(),
              info.progress().drained(),
              info.progress().waiting(),
              info.usage().entries(),
              info.usage().busyNs(),
              info.usage().instructions(),
              info.usage().interpreted()));
    } catch (SluiceException _) {
      return Optional.empty(); // freed meanwhile
    }
  }

  @Override
  public void killChannel(int id) throws OperationsException {
    String failed = "cannot end channel " + id + " of guest \"" + settings.name() + "\"";
    Optional<Guest> attached = device.guest();
    ChannelStatus channel = attached.flatMap(guest -> query(guest, id)).orElse(null);
    if (channel == null) {
      throw Problem.of(
              ErrorCode.CHANNEL_UNKNOWN,
              failed,
              attached.isEmpty() ? "nobody is attached to the guest" : "it has no such channel",
              "sluicectl channel list " + settings.name() + " shows those it has")
          .exception();
    }
    if (!channel.error().isEmpty()) {
      throw Problem.of(ErrorCode.CHANNEL_KILL, failed, "it has ended, error=" + channel.error(), "")
          .exception();
    }
    try {
      attached.orElseThrow().channels().kill(id, GuestAbi.ERROR_OPERATOR, 0);
    } catch (SluiceException e) {
      throw Problem.of(ErrorCode.CHANNEL_KILL, failed, e.what(), e.remedy()).exception();
    }
    Audit.of("channel-kill")
        .addKeyValue("guest", settings.name())
        .addKeyValue("cid", id)
        .log("channel ended");
  }

  @Override
  public GuestCounters getCounters() {
    DeviceCounters now = device.counters();
    Map<String, Long> byCommand = new TreeMap<>();
    now.messagesByCommand()
        .forEach((command, n) -> byCommand.put(command.toLowerCase(Locale.ROOT), n));
    HeapUsage heap = ask(guest -> guest.heapUsage().orElse(HeapUsage.NONE), HeapUsage.NONE);
    RateLimit.Room connections = device.connectionRoom();
    RateLimit.Room maps = device.mapRoom();
    return new GuestCounters(
        now.connections(),
        now.connectionsRefused(),
        now.messages(),
        now.messagesRefused(),
        byCommand,
        now.calls(),
        now.callsRefused(),
        now.interrupts(),
        now.eventsLost(),
        now.dmaMaps(),
        device.mostMapped().maps(),
        device.mapped().bytes(),
        device.mostMapped().bytes(),
        heap.bytes(),
        heap.limitBytes(),
        heap.programs().kept(),
        heap.programs().limit(),
        heap.programs().bytes(),
        heap.programs().limitBytes(),
        heap.programs().interpreted(),
        connections.left(),
        connections.burst(),
        connections.interval().toMillis(),
        maps.left(),
        maps.burst(),
        maps.interval().toMillis(),
        device.descriptorsWaiting(),
        device.logLinesLeftOut(),
        device.logRate().burst(),
        device.logRate().interval().toMillis());
  }

  private static String program(PeerCredentials peer) {
    return ProcessNames.ofPeer(peer.pid());
  }
}
