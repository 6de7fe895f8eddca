package io.sluice.vdevice;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import io.sluice.vdevice.dma.ClientMemory;
import io.sluice.vdevice.dma.DmaLog;
import io.sluice.vdevice.dma.DmaTable;
import io.sluice.vdevice.pci.DeviceIrqs;
import io.sluice.vdevice.pci.DeviceRegion;
import io.sluice.vdevice.pci.MappedBar;
import io.sluice.vdevice.pci.PciConfigSpace;
import io.sluice.vdevice.pci.Registers;
import io.sluice.vdevice.pci.VectorTable;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.Request;
import io.sluice.vdevice.session.MachineSessions;
import io.sluice.vdevice.state.SessionRecord;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The device as one client sees it, from attach to detach: a guest, its regions, interrupts, shared
 * memory and calls. All of it is new for each client and gone with it.
 *
 * <p>The connection's thread calls everything but {@link CallExecutor#run}, which has a thread of
 * its own, {@link #clientMemory}, and what counts.
 */
final class DeviceSession
    implements Registers.RegisterBackend, CallExecutor.CallSession, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceSession.class);

  private final String name;
  private final GuestLog log;
  private final GuestSource source;
  private final DeviceCounters.Live counters;
  private final CallArea callArea;
  private final VectorTable vectors;
  private final DeviceIrqs interrupts;
  private final GuestEventQueue events;
  private final GuestNotifier notifier;
  private final Guest guest;
  private final DmaTable dma;
  private final ClientMemory clientMemory;
  private final @Nullable MachineSessions sessions;
  private final Hypercalls hypercalls;
  private final CallQueue queue = new CallQueue(CallExecutor.RESET + 1);
  private final CallExecutor executor;
  private final Registers registers;
  private final PciConfigSpace config;
  private final ImmutableList<DeviceRegion> regions;
  private final @Nullable DmaLog dmaLog;
  private final @Nullable ClientMigration migration;
  private final DeviceFeatures features;

  /** What the registers show; kept here so that reading one never waits for a call. */
  private final AtomicInteger generation;

  private final HeldDevice held;

  private DeviceSession(
      SessionPlace place,
      GuestSource source,
      DeviceCounters.Live counters,
      CallArea callArea,
      GuestParts parts) {
    Kernel kernel = place.kernel();
    name = place.name();
    log = place.log();
    this.source = source;
    this.counters = counters;
    this.callArea = callArea;
    vectors = parts.vectors();
    events = parts.events();
    notifier = parts.notifier();
    guest = parts.guest();
    interrupts = new DeviceIrqs(kernel, vectors);
    boolean sharesMemory = guest.capabilities().contains(Capability.GUEST_MEMORY);
    dma =
        new DmaTable(
            kernel,
            place.share(),
            source.heap(),
            place.pace(),
            sharesMemory ? guest.buffers()::addRegion : null);
    clientMemory = new ClientMemory(dma);
    sessions =
        source
            .sessions()
            .map(host ->
                new MachineSessions(kernel, dma, host, place.sessionThreads(), notifier::onSession))
            .orElse(null);
    hypercalls = new Hypercalls(guest, dma, sessions);
    executor = new CallExecutor(callArea.segment(), queue, this, log);
    generation = new AtomicInteger(guest.generation());
    long capabilities = DeviceFacts.capabilities(guest, sessions != null);
    registers = new Registers(this, DeviceFacts.registers(guest, capabilities));
    ImmutableList<DeviceRegion> bars = DeviceBars.of(kernel, registers, callArea, guest);
    config =
        new PciConfigSpace(
            new PciConfigSpace.Identity(
                bars, Limits.MAX_VECTORS, DeviceFacts.ABI_VERSION, capabilities));
    regions =
        ImmutableList.<DeviceRegion>builder()
            .addAll(bars)
            .add(DeviceRegion.ABSENT) // expansion ROM
            .add(config)
            .add(DeviceRegion.ABSENT) // VGA
            .build();
    held =
        new HeldDevice(
            name,
            log,
            parts,
            new HeldDevice.CallExecution(callArea, executor, queue),
            new HeldDevice.Function(registers, config),
            this);
    dmaLog =
        sharesMemory && guest.capabilities().contains(Capability.DIRTY_TRACKING)
            ? new DmaLog(guest.move(), source.heap())
            : null;
    migration =
        guest.capabilities().containsAll(ClientMigration.NEEDED)
            ? source
                .transfers()
                .map(transfers -> new ClientMigration(held, transfers, ClientMigration.DRAIN_MS))
                .orElse(null)
            : null;
    features = new DeviceFeatures(migration, dmaLog);
    notifier.begin();
  }

  /** Opens the GPU for a client that has connected. */
  static DeviceSession open(SessionPlace place, GuestSource source, DeviceCounters.Live counters) {
    CallArea callArea = CallArea.create(place.kernel(), place.name());
    return make(place, source, counters, callArea, source::open);
  }

  /**
   * Takes a client over.
   *
   * @param files as {@link SessionRecord} orders them; all but the first are owned by the session
   *     if it succeeds, and the caller's if not
   */
  static DeviceSession adopt(
      SessionPlace place,
      GuestSource source,
      DeviceCounters.Live counters,
      SessionRecord record,
      List<Fd> files) {
    Kernel kernel = place.kernel();
    // The GPU keeps its own descriptors of control pages and video memory.
    Gpu.AdoptedFiles memory =
        new Gpu.AdoptedFiles(
            files.get(2), record.hasVideoFile() ? Optional.of(files.get(3)) : Optional.empty());
    DeviceSession session =
        make(
            place,
            source,
            counters,
            CallArea.adopt(kernel, kernel.dup(files.get(1))),
            listener -> source.adopt(listener, memory));
    boolean complete = false;
    try {
      session.restore(record, files.subList(record.fixedFiles(), files.size()), kernel);
      complete = true;
      return session;
    } finally {
      if (!complete) {
        session.abandon();
      }
    }
  }

  private void restore(SessionRecord record, List<Fd> files, Kernel kernel) {
    vectors.hold();
    int next = 0;
    for (SessionRecord.MapRecord map : record.maps()) {
      Request.DmaMap request =
          new Request.DmaMap(
              new Iova(map.iova()), map.sizeBytes(), map.fileOffset(), true, map.writable());
      dma.map(request, map.hasFile() ? kernel.dup(files.get(next++)) : null);
    }
    for (int vector = 0; vector < Limits.MAX_VECTORS; vector++) {
      if ((record.vectorFiles() & 1L << vector) != 0) {
        Fd eventfd = files.get(next++);
        SessionRecord.require(kernel.isEventfd(eventfd), "an eventfd");
        vectors.assign(vector, kernel.dup(eventfd));
      }
    }
    executor.hold();
    generation.set(record.generation());
    held.restoreInPlace(record.state());
  }

  /** The client may go on: it is told that its device has moved. */
  void resume() {
    guest.giveAway(false);
    notifier.begin();
    held.releaseRestored();
  }

  /**
   * The session for another daemon, while it is held and no message comes.
   *
   * @param files receives all but the socket; they stay this session's
   */
  SessionRecord record(List<Fd> files) {
    files.add(callArea.file());
    files.add(guest.controlPages().fd());
    Optional<SharedArea> video = guest.vramAperture();
    video.ifPresent(area -> files.add(area.fd()));
    ImmutableList<SessionRecord.MapRecord> maps = dma.collect(files);
    long vectorFiles = vectors.collect(files);
    return new SessionRecord(
        clientMemory.negotiated(),
        generation.get(),
        video.isPresent(),
        vectorFiles,
        maps,
        held.save());
  }

  /** Another daemon has the client: nothing that is shared with it is touched any more. */
  void abandon() {
    guest.giveAway(true);
    dma.abandon();
    close();
  }

  /** When this fails, by whatever, nothing of it is left. */
  private static DeviceSession make(
      SessionPlace place,
      GuestSource source,
      DeviceCounters.Live counters,
      CallArea callArea,
      GuestParts.GuestFactory opener) {
    GuestParts parts = null;
    boolean complete = false;
    try {
      parts = GuestParts.make(place, source, callArea, opener);
      DeviceSession session = new DeviceSession(place, source, counters, callArea, parts);
      complete = true;
      return session;
    } finally {
      if (!complete) {
        undo(source, callArea, parts);
      }
    }
  }

  private static void undo(GuestSource source, CallArea callArea, @Nullable GuestParts parts) {
    try {
      if (parts != null) {
        source.release(parts.guest());
      }
    } finally {
      callArea.close();
    }
  }

  /** The operator's name of the guest. */
  String name() {
    return name;
  }

  /** What is told about the guest. */
  GuestLog log() {
    return log;
  }

  Guest guest() {
    return guest;
  }

  DmaTable dma() {
    return dma;
  }

  /** Guest memory by message. */
  ClientMemory clientMemory() {
    return clientMemory;
  }

  DeviceIrqs interrupts() {
    return interrupts;
  }

  VectorTable vectors() {
    return vectors;
  }

  GuestEventQueue events() {
    return events;
  }

  /** What the guest's call thread runs. */
  Runnable calls() {
    return executor;
  }

  /** Whether a call runs just now. */
  boolean isExecuting() {
    return executor.isExecuting();
  }

  /** A region; null when there is no such index. */
  @Nullable DeviceRegion region(int index) {
    return index >= 0 && index < regions.size() ? regions.get(index) : null;
  }

  /** A region; EINVAL when there is no such index. */
  DeviceRegion regionOrRefuse(int index) {
    DeviceRegion region = region(index);
    if (region == null) {
      throw new RefusedException(
          DeviceCode.NO_REGION,
          Errno.EINVAL,
          "no such region, index=" + Integer.toUnsignedString(index),
          "");
    }
    return region;
  }

  // ---- the connection ----

  /** What DEVICE_FEATURE does. */
  DeviceFeatures features() {
    return features;
  }

  /**
   * The client's migration.
   *
   * @throws RefusedException EOPNOTSUPP
   */
  ClientMigration migration() {
    ClientMigration offered = migration;
    if (offered == null) {
      throw new RefusedException(
          DeviceCode.NO_MIGRATION,
          Errno.EOPNOTSUPP,
          "migration by the protocol is not offered",
          "");
    }
    return offered;
  }

  /** Whether the client moves the device, or watches what the GPU writes. */
  boolean isMovedByClient() {
    ClientMigration offered = migration;
    DmaLog log = dmaLog;
    return offered != null && offered.isActive() || log != null && log.isOn();
  }

  /** How many API sessions the guest has that nobody takes along. */
  int apiSessions() {
    MachineSessions offered = sessions;
    return offered == null || offered.isCarried() ? 0 : offered.count();
  }

  /** The API sessions of the guest, if it may have some. */
  Optional<MachineSessions> sessions() {
    return Optional.ofNullable(sessions);
  }

  /** Takes shared memory away; whatever used it does so no more when this returns. */
  void unmap(Request.DmaUnmap unmap) {
    beforeUnmap();
    MachineSessions offered = sessions;
    if (unmap.all()) {
      if (offered != null) {
        offered.revokeAll();
      }
      dma.unmapAll();
    } else {
      if (offered != null) {
        offered.revoke(unmap.address(), unmap.sizeBytes());
      }
      dma.unmap(unmap.address(), unmap.sizeBytes());
    }
  }

  /** What the GPU wrote of memory that is about to go is still known afterwards. */
  void beforeUnmap() {
    DmaLog log = dmaLog;
    if (log != null) {
      log.beforeChange();
    }
  }

  /** A message was answered: now is the time to have rung calls executed. */
  void afterMessage() {
    queue.wake();
  }

  /**
   * DEVICE_RESET: everything is as after power-on, except what the client set up by message: guest
   * memory stays shared and vectors keep their eventfds, as with the kernel's VFIO.
   */
  void reset() {
    ClientMigration moving = migration;
    if (moving == null) {
      empty();
    } else {
      moving.reset();
    }
  }

  /** Frees everything the guest holds, as a reset does. */
  void empty() {
    executor.exclusively(() -> {
      freeEverything();
      vectors.forgetPending();
    });
    registers.reset();
    config.reset();
  }

  /** The device as something that is held still, and moves. */
  HeldDevice held() {
    return held;
  }

  // ---- the guest ----

  /** How much video memory the guest may hold from now on; it is told, unless it is just going. */
  void setVramLimit(long bytes) {
    executor.exclusively(() -> {
      if (!executor.isStopped()) {
        guest.buffers().setLimit(bytes);
      }
    });
  }

  /** {@link GuestNotifier#askToTouch}; 0 as well when the guest is just going. */
  int askToTouch() {
    AtomicInteger code = new AtomicInteger();
    executor.exclusively(() -> {
      if (!executor.isStopped()) {
        code.set(notifier.askToTouch(generation.get(), guest.timeNs()));
      }
    });
    return code.get();
  }

  /** Whether the guest says that it has touched its pages, as it was asked with a code. */
  boolean hasTouched(int code) {
    AtomicBoolean done = new AtomicBoolean();
    executor.exclusively(() -> done.set(!executor.isStopped() && events.touched() == code));
    return done.get();
  }

  /** The registers show the guest's generation from now on. */
  int showGeneration() {
    int shown = guest.generation();
    generation.set(shown);
    return shown;
  }

  // ---- registers ----

  @Override
  public int generation() {
    return generation.get();
  }

  @Override
  public long timeNs() {
    return guest.timeNs();
  }

  @Override
  public long vramBytes() {
    return guest.buffers().limitBytes();
  }

  @Override
  public long pendingVectors() {
    return vectors.pending();
  }

  @Override
  public void ringCall(int slot) {
    if (slot >= 0 && slot < GuestAbi.MAX_SLOTS) {
      queue.ring(slot);
    }
  }

  @Override
  public void ringSession(int handle) {
    MachineSessions offered = sessions;
    if (offered != null) {
      offered.ring(handle);
    }
  }

  @Override
  public void ringReset() {
    queue.ring(CallExecutor.RESET);
  }

  // ---- calls ----

  @Override
  public void execute(int command, MemorySegment args) {
    beforeUnmap(); // a call may free what the GPU wrote
    hypercalls.execute(command, args);
  }

  @Override
  public void done(boolean refused) {
    counters.call(refused);
    notifier.onCallDone();
  }

  @Override
  public void resetByGuest() {
    freeEverything();
    notifier.onGeneration(generation.get(), guest.timeNs());
  }

  /** BAR 1 is zeros before the new generation shows. */
  private void freeEverything() {
    beforeUnmap();
    MachineSessions offered = sessions;
    if (offered != null) {
      offered.closeAll();
    }
    guest.reset();
    callArea.clear();
    events.reset();
    executor.forget();
    int _ = showGeneration();
  }

  /**
   * Gives everything back. The connection's thread calls it when it has stopped serving; the call
   * thread ends by it.
   */
  @Override
  public void close() {
    List<Runnable> parts = new ArrayList<>();
    parts.add(clientMemory::close);
    // Soon, so that no thread of this device stays stuck in an interrupt.
    parts.add(vectors::close);
    ClientMigration moving = migration;
    if (moving != null) {
      parts.add(moving::close);
    }
    // A call that runs is waited for.
    parts.add(() -> executor.exclusively(executor::stop));
    MachineSessions offered = sessions;
    if (offered != null) {
      parts.add(() -> executor.exclusively(offered::close));
    }
    DmaLog written = dmaLog;
    if (written != null) {
      parts.add(written::stop);
    }
    parts.add(() -> executor.exclusively(dma::close));
    parts.add(() -> executor.exclusively(() -> source.release(guest)));
    for (DeviceRegion region : regions) {
      if (region instanceof MappedBar bar) {
        parts.add(bar::close);
      }
    }
    parts.add(callArea::close);
    closeAll(parts);
  }

  /** Each, whatever becomes of the others. */
  private void closeAll(List<Runnable> parts) {
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (RuntimeException | Error e) {
        log.at(LOG, Level.ERROR).log("a part of the device did not close", e);
      }
    }
  }
}
