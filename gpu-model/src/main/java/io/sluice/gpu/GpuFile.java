package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.fifo.EngineGate;
import io.sluice.gpu.fifo.GpuChannel;
import io.sluice.gpu.mmu.ExtentBacking;
import io.sluice.gpu.mmu.GpuBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of one open of the software GPU. Guarded by the card's lock, but for what says
 * otherwise; what the engine looks at while it executes also by the open's gate.
 */
final class GpuFile implements AutoCloseable {
  /** Highest address-space id of the card. */
  static final int MAX_VSPACES = 127;

  /** Control pages of an open. */
  static final int CONTROL_PAGES = 128;

  static final long CONTROL_PAGE_BYTES = PscnvLimits.CONTROL_PAGE_BYTES;

  /** Map handle of all control pages. In the range that real pscnv gives to legacy maps. */
  static final long CONTROL_MAP_HANDLE = 0x1000_0000L;

  /** Map handle of all video memory. */
  static final long VRAM_MAP_HANDLE = 0x2000_0000L;

  private static final Logger LOG = LoggerFactory.getLogger(GpuFile.class);
  private static final int LOWEST_PAGE = 1;

  private final Card card;
  private SharedFile control;
  private Aperture vram;
  private final Fd events;
  private volatile @Nullable Aperture system;

  /** Held while {@link #system} is made. */
  private final ReentrantLock systemLock = new ReentrantLock();

  private volatile boolean open = true;
  private boolean adopting;
  private boolean sweeping = true;
  private boolean sweepUnderWay;
  private volatile long offences;

  /** Found by a sweep, told by whoever reads events. */
  private final AtomicLong unreportedExcessBytes = new AtomicLong();

  final IdPool handles = new IdPool(1, OpenLimits.MAX_HANDLES);
  final IdPool pages = new IdPool(LOWEST_PAGE, CONTROL_PAGES - 1);
  final BufferHandles objects = new BufferHandles(OpenLimits.MAX_HANDLES + 1);
  final Map<Integer, Vspace> vspaces = new TreeMap<>();

  /** Changed under the GPU's lock; whoever reads events looks at it without. */
  final ConcurrentSkipListMap<Integer, ChannelEntry> channels = new ConcurrentSkipListMap<>();

  final TimeShare share;
  final EngineGate gate;
  final PromptSignals signals;
  final RegionTable regions = new RegionTable();
  long vramBytes;
  long systemBytes;
  long importedBytes;
  int extents;

  /** Mappings of all address spaces. */
  int mappings;

  /** Buffers that have a handle, a mapping, or memory that was not given back yet. */
  int buffers;

  /**
   * Held while events are read, so that an interrupt need not wait for the slice that the engine
   * executes.
   */
  final ReentrantLock eventLock = new ReentrantLock();

  /** The channel whose events were read last: the next ones go first. Guarded by eventLock. */
  int lastEventCid;

  GpuFile(Card card, TimeShare share) {
    this.card = card;
    this.share = share;
    this.gate = new EngineGate(card.lock());
    signals = card.signals().peerOf(share.guest().orElse(""));
    Kernel kernel = card.kernel();
    control = SharedFile.create(kernel, "sluice-control", CONTROL_PAGES * CONTROL_PAGE_BYTES);
    SharedFile video = null;
    try {
      video = SharedFile.create(kernel, "sluice-vram", card.config().vramBytes());
      vram = new Aperture(video, card.config().vramBytes());
      events = kernel.eventfd(0, Kernel.NONBLOCK);
    } catch (RuntimeException e) {
      if (video != null) {
        video.close();
      }
      control.close();
      throw e;
    }
  }

  @Override
  public void close() {
    List<Runnable> quiescing = new ArrayList<>();
    card.lock().lock();
    try {
      if (!open) {
        return;
      }
      open = false;
      gate.awaitOutside();
      for (ChannelEntry entry : channels.values()) {
        entry.channel().cancelGrid();
        card.runlist().remove(entry.channel());
        entry.interrupts().takeEventfd().ifPresent(eventfd -> quiescing.add(eventfd::close));
        card.cids().give(entry.channel().cid());
      }
      for (Vspace vspace : vspaces.values()) {
        quiescing.add(card.launcher().quiesce(vspace.space));
        card.vids().give(vspace.vid);
      }
      card.refundVram(vramBytes);
      channels.clear();
      vspaces.clear();
      card.forget(this);
    } finally {
      card.lock().unlock();
    }
    quiescing.forEach(Runnable::run);
    regions.close();
    control.close();
    vram.close();
    Aperture made = system;
    if (made != null) {
      made.close();
    }
    eventLock.lock();
    try {
      events.close();
    } finally {
      eventLock.unlock();
    }
  }

  Card card() {
    return card;
  }

  void setSweeping(boolean sweeps) {
    sweeping = sweeps;
  }

  /** Whether nothing was made yet that lies in its files. */
  boolean isUntouched() {
    return buffers == 0 && channels.isEmpty();
  }

  /** Takes the control pages of a guest over, as they are; what it had is the caller's to close. */
  SharedFile adoptControl(SharedFile file) {
    SharedFile former = control;
    control = file;
    return former;
  }

  /** Takes the video memory of a guest over, as it is; what it had is the caller's to close. */
  SharedFile adoptVram(SharedFile file) {
    SharedFile former = vram.file();
    vram = new Aperture(file, card.config().vramBytes());
    adopting = true;
    return former;
  }

  Aperture vram() {
    return vram;
  }

  SharedFile control() {
    return control;
  }

  Fd events() {
    return events;
  }

  long offences() {
    return offences;
  }

  /** The host memory of a process guest; {@link #prepareSystem} was called. */
  Aperture system() {
    Aperture made = system;
    if (made == null) {
      throw new AssertionError("host memory is prepared before it is allocated");
    }
    return made;
  }

  /** Makes the host memory of a process guest when it is first needed; without the GPU's lock. */
  void prepareSystem() {
    systemLock.lock();
    try {
      if (system == null) {
        long bytes = card.config().systemBytes();
        publish(new Aperture(SharedFile.create(card.kernel(), "sluice-system", bytes), bytes));
      }
    } finally {
      systemLock.unlock();
    }
  }

  private void publish(Aperture made) {
    card.lock().lock();
    try {
      if (open) {
        system = made;
        return;
      }
    } finally {
      card.lock().unlock();
    }
    made.close();
    requireOpen();
  }

  // ---- memory that was touched without having been allocated ----

  /**
   * Looks whether there is such memory, and has it taken back. Not while the buffers of adopted
   * memory are still to be made.
   */
  void sweep() {
    if (sweepUnderWay || !sweeping || adopting && channels.isEmpty()) {
      return;
    }
    adopting = false;
    Aperture made = system;
    if (vram.excessBytes() > 0) {
      beginSweep(vram);
    } else if (made != null && made.excessBytes() > 0) {
      beginSweep(made);
    }
  }

  private void beginSweep(Aperture aperture) {
    sweepUnderWay = true;
    inBackground(new Sweep(this, aperture));
  }

  /** Has something done by the threads of grids, in this open's share of their time. */
  void inBackground(Runnable task) {
    card.launcher().inBackground(share, task);
  }

  /** Some free memory that nobody is given until it is given back; null when there is none. */
  RangeAllocator.@Nullable AllocatedRange takeFree(Aperture aperture, long from, long bytes) {
    card.lock().lock();
    try {
      return open && sweeping ? aperture.takeFree(from, bytes) : null;
    } finally {
      card.lock().unlock();
    }
  }

  void giveBack(Aperture aperture, RangeAllocator.AllocatedRange range) {
    card.lock().lock();
    try {
      aperture.giveBack(range.start(), range.bytes());
    } finally {
      card.lock().unlock();
    }
  }

  /** A sweep is over. */
  void swept(long bytes) {
    card.lock().lock();
    try {
      sweepUnderWay = false;
      if (!open || bytes == 0) {
        return;
      }
      offences = offences + 1; // under the GPU's lock
      unreportedExcessBytes.addAndGet(bytes);
      card.kernel().signal(events);
    } finally {
      card.lock().unlock();
    }
    LOG.atWarn()
        .addKeyValue("bytes", bytes)
        .addKeyValue("times", offences)
        .log("a guest touched memory it had not allocated; the memory was taken back");
  }

  /** Whether some was taken back that nobody was told of. */
  boolean hasUnreportedExcess() {
    return unreportedExcessBytes.get() > 0;
  }

  /** Bytes that were taken back and nobody was told of; they count as told. */
  long takeUnreportedExcess() {
    return unreportedExcessBytes.getAndSet(0);
  }

  // ---- lookups ----

  GemObject object(IoctlCall call, int handle, Errno missing) {
    GemObject object = objects.get(handle);
    if (object == null) {
      throw call.refuse(missing, "handle=" + handle);
    }
    return object;
  }

  Vspace vspace(IoctlCall call, int vid) {
    Vspace vspace = vspaces.get(vid);
    if (vspace == null || vspace.freed) {
      throw call.refuse(Errno.ENOENT, "vid=" + vid);
    }
    return vspace;
  }

  GpuChannel channel(IoctlCall call, int cid) {
    return entry(call, cid).channel();
  }

  ChannelEntry entry(IoctlCall call, int cid) {
    ChannelEntry entry = channels.get(cid);
    if (entry == null) {
      throw call.refuse(Errno.ENOENT, "cid=" + cid);
    }
    return entry;
  }

  // ---- ends of lives ----

  /** An address space dropped a mapping of a buffer. */
  void unmapped(IoctlCall call, GpuBuffer buffer) {
    mappings--;
    if (buffer instanceof GemObject object) {
      releaseIfUnused(call, object);
    }
  }

  /** Frees a buffer's memory once it has neither handle nor mapping. */
  void releaseIfUnused(IoctlCall call, GemObject object) {
    if (object.handle != 0 || object.isMapped()) {
      return;
    }
    Aperture aperture = object.aperture;
    if (aperture == null) {
      forget(object);
    } else {
      call.afterwards(() -> reclaim(aperture, object));
    }
  }

  /** Counts a buffer's bytes, or, negative, counts them no more. */
  void account(GemObject object, long bytes) {
    if (object.inVideoMemory) {
      vramBytes += bytes;
    } else {
      systemBytes += bytes;
    }
  }

  /** A buffer is no more, and nothing of it is left in its memory: it does not count any more. */
  private void forget(GemObject object) {
    long size = object.sizeBytes();
    account(object, -size);
    if (object.inVideoMemory) {
      card.refundVram(size);
    }
    if (object.backing() instanceof ExtentBacking backing) {
      extents -= backing.extents();
      importedBytes -= size;
    }
    buffers--;
  }

  /** Empties the memory of a buffer that is no more, and lets it be allocated again after that. */
  private void reclaim(Aperture aperture, GemObject object) {
    try {
      aperture.punch(object.offset, object.sizeBytes());
    } catch (SyscallException e) {
      LOG.atError().setCause(e).log("freed memory could not be emptied; it is not used again");
      return;
    }
    card.lock().lock();
    try {
      if (open) {
        forget(object);
        aperture.giveBack(object.offset, object.sizeBytes());
      }
    } finally {
      card.lock().unlock();
    }
  }

  /** Destroys an address space once it was freed and no channel uses it. */
  void releaseIfUnused(IoctlCall call, Vspace vspace) {
    if (vspace.freed && vspace.channels == 0) {
      call.afterwards(card.launcher().quiesce(vspace.space));
      call.afterwards(() -> destroy(call, vspace));
    }
  }

  /** Unmaps some hundred buffers at a time: others get the GPU in between. */
  private void destroy(IoctlCall call, Vspace vspace) {
    boolean more = true;
    while (more) {
      card.lock().lock();
      try {
        gate.awaitOutside();
        if (!open) {
          return;
        }
        more = vspace.space.unmapSome(buffer -> unmapped(call, buffer));
        if (!more) {
          vspaces.remove(vspace.vid);
          card.vids().give(vspace.vid);
        }
      } finally {
        card.lock().unlock();
      }
    }
  }

  /** Gives the control page of a channel that is no more to another one, emptied. */
  void reclaimPage(int page) {
    control.punch(page * CONTROL_PAGE_BYTES, CONTROL_PAGE_BYTES);
    card.lock().lock();
    try {
      pages.give(page);
    } finally {
      card.lock().unlock();
    }
  }

  void requireOpen() {
    if (!open) {
      throw new SyscallException("ioctl", "closed device", Errno.EBADF.number());
    }
  }
}
