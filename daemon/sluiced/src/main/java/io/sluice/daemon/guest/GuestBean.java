package io.sluice.daemon.guest;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.RateLimit;
import io.sluice.abi.SluiceException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu.HeapUsage;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.TableUse;
import io.sluice.channel.state.ChannelErrors;
import io.sluice.channel.state.GuestLimits;
import io.sluice.daemon.runtime.Audit;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.management.ChannelStatus;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestCounters;
import io.sluice.management.GuestMXBean;
import io.sluice.management.NotificationTypes;
import io.sluice.management.Problem;
import io.sluice.management.TableStatus;
import io.sluice.vdevice.DeviceCounters;
import io.sluice.vdevice.GuestDevice;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.management.OperationsException;

/** A guest as JMX shows it. Operations that change something are logged with who asked. */
public final class GuestBean implements GuestMXBean {
  private final GuestHost host;
  private final String name;
  private final GuestDevice device;

  public GuestBean(GuestHost host) {
    this.host = host;
    name = host.settings().name();
    device = host.device();
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public String getUuid() {
    return host.settings().uuid().toString();
  }

  @Override
  public String getState() {
    return host.status().state();
  }

  @Override
  public String getGpu() {
    return host.gpu().name();
  }

  @Override
  public String getSocketPath() {
    return host.settings().socket().toString();
  }

  @Override
  public String getQmpPath() {
    return host.settings().qmp().toString();
  }

  @Override
  public int getClientPid() {
    return host.status().clientPid();
  }

  @Override
  public int getClientUid() {
    return host.status().clientUid();
  }

  @Override
  public String getClientName() {
    return host.status().clientName();
  }

  @Override
  public long getMemoryUsedBytes() {
    return host.status().memoryUsedBytes();
  }

  @Override
  public long getMemoryLimitBytes() {
    return host.status().memoryLimitBytes();
  }

  @Override
  public int getMaxChannels() {
    return host.maxChannels();
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

  @Override
  public Map<String, TableStatus> getTables() {
    TableUse now = host.ask(Guest::tables, TableUse.NONE);
    Map<String, TableStatus> tables = new TreeMap<>();
    tables.put("handles", new TableStatus(now.handles(), GuestLimits.MAX_MEMORY - 1));
    tables.put("buffers", new TableStatus(now.buffers(), GuestLimits.MAX_BUFFERS));
    tables.put("spaces", new TableStatus(now.addressSpaces(), host.maxAddressSpaces()));
    tables.put("mappings", new TableStatus(now.mappings(), GuestLimits.MAX_MAPPINGS));
    tables.put("extents", new TableStatus(now.extents(), GuestLimits.MAX_TOTAL_EXTENTS));
    tables.put("regions", new TableStatus(now.regions(), GuestLimits.MAX_REGIONS));
    return tables;
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
    String failed = "cannot end channel " + id + " of guest \"" + name + "\"";
    Optional<Guest> attached = device.guest();
    ChannelStatus channel = attached.flatMap(guest -> query(guest, id)).orElse(null);
    if (channel == null) {
      throw Problem.of(
              ErrorCode.CHANNEL_UNKNOWN,
              failed,
              attached.isEmpty() ? "nobody is attached to the guest" : "it has no such channel",
              "sluicectl channel list " + name + " shows those it has")
          .exception();
    }
    if (!channel.error().isEmpty()) {
      throw Problem.of(ErrorCode.CHANNEL_KILL, failed, "it has ended, error=" + channel.error(), "")
          .exception();
    }
    host.killers().note(id, Audit.caller());
    try {
      attached.orElseThrow().channels().kill(id, GuestAbi.ERROR_OPERATOR, 0);
    } catch (SluiceException e) {
      host.killers().forget(id);
      throw Problem.of(ErrorCode.CHANNEL_KILL, failed, e.what(), e.remedy()).exception();
    }
    Audit.of("channel-kill").addKeyValue("guest", name).addKeyValue("cid", id).log("channel ended");
  }

  @Override
  public void detach() throws OperationsException {
    String failed = "cannot detach the client of guest \"" + name + "\"";
    String client = host.describe();
    if (!host.isAttached()) {
      throw nobody(failed);
    }
    requireStaying(failed);
    device.detach();
    Audit.of("guest-detach")
        .addKeyValue("guest", name)
        .addKeyValue("client", client)
        .log("client detached");
  }

  @Override
  public void suspend() throws OperationsException {
    String failed = "cannot suspend guest \"" + name + "\"";
    Guest guest = attached(failed);
    if (host.suspension().isSuspended()) {
      throw refused(failed, "it is suspended already", "");
    }
    requireStaying(failed);
    try {
      host.suspension().begin(guest);
    } catch (SluiceException e) {
      throw refused(failed, e.what(), e.remedy());
    }
    suspensionChanged("guest-suspend", NotificationTypes.GUEST_SUSPENDED);
  }

  @Override
  public void resume() throws OperationsException {
    String failed = "cannot resume guest \"" + name + "\"";
    Guest guest = attached(failed);
    if (!host.suspension().isSuspended()) {
      throw refused(failed, "it is not suspended", "");
    }
    try {
      host.suspension().end(guest);
    } catch (SluiceException e) {
      throw refused(failed, e.what(), e.remedy());
    }
    suspensionChanged("guest-resume", NotificationTypes.GUEST_RESUMED);
  }

  private void suspensionChanged(String deed, String type) {
    Audit.of(deed).addKeyValue("guest", name).log("guest suspended or resumed");
    host.tell(new DaemonEvent(type, name, ImmutableMap.of("guest", name, "user", Audit.caller())));
  }

  private Guest attached(String failed) throws OperationsException {
    return device.guest().orElseThrow(() -> nobody(failed));
  }

  private static OperationsException nobody(String failed) {
    return refused(failed, "nobody is attached to it", "start it first");
  }

  private void requireStaying(String failed) throws OperationsException {
    try {
      host.requireStaying();
    } catch (SluiceException e) {
      throw Problem.of(ErrorCode.MIGRATION_BUSY, failed, e.what(), e.remedy()).exception();
    }
  }

  private static OperationsException refused(String failed, String cause, String fix) {
    return Problem.of(ErrorCode.GUEST_SUSPEND, failed, cause, fix).exception();
  }

  @Override
  public GuestCounters getCounters() {
    DeviceCounters now = device.counters();
    Map<String, Long> byCommand = new TreeMap<>();
    now.messagesByCommand()
        .forEach((command, n) -> byCommand.put(command.toLowerCase(Locale.ROOT), n));
    HeapUsage heap = host.ask(guest -> guest.heapUsage().orElse(HeapUsage.NONE), HeapUsage.NONE);
    RateLimit.Allowance connections = device.connectionRoom();
    RateLimit.Allowance maps = device.mapRoom();
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
        host.heap().bytes(),
        host.heap().limitBytes(),
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
        host.unclosed(),
        device.logLinesLeftOut(),
        device.logRate().burst(),
        device.logRate().interval().toMillis());
  }
}
