package io.sluice.vdevice;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Capability;
import io.sluice.channel.Channel;
import io.sluice.channel.EventSink;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A GPU without an engine: it hands out memory, address spaces and channels, and says what is held.
 * For tests of what stands in front of a GPU.
 */
final class FakeGpu implements Gpu {
  static final long APERTURE_BYTES = 3L << 20;
  static final int MAX_CHANNELS = 128;

  private final Kernel kernel;
  private final Set<Capability> missing;
  final List<Open> opens = new ArrayList<>();

  /** Allocations wait for it, so that a test can look at what happens meanwhile. */
  volatile @Nullable CountDownLatch gate;

  volatile @Nullable RuntimeException failure;

  FakeGpu(Kernel kernel, Capability... missing) {
    this.kernel = kernel;
    this.missing = Set.of(missing);
  }

  @Override
  public GpuInfo info() {
    return new GpuInfo(
        "fake",
        "gf100",
        0x10de,
        0x06c0,
        0xc0,
        4,
        ImmutableList.of(4, 4, 4, 3),
        15,
        APERTURE_BYTES,
        MAX_CHANNELS,
        128,
        1L << 40);
  }

  @Override
  public ImmutableSet<Capability> capabilities() {
    Set<Capability> all =
        Set.of(
            Capability.VRAM_APERTURE,
            Capability.GUEST_MEMORY,
            Capability.CHANNEL_EVENTS,
            Capability.CONTROL_WORDS,
            Capability.KILL,
            Capability.DETACH,
            Capability.STATE_SAVE,
            Capability.DIRTY_TRACKING);
    return ImmutableSet.copyOf(Sets.difference(all, missing));
  }

  @Override
  public long timeNs() {
    return 0x1_0000_0002L;
  }

  @Override
  public GuestGpu open(String guestName) {
    Open open = new Open();
    opens.add(open);
    return open;
  }

  /** The open of the guest that attached last. */
  Open last() {
    return opens.get(opens.size() - 1);
  }

  @Override
  public void close() {}

  /** One guest's open. */
  final class Open implements GuestGpu {
    private final Fd control = kernel.memfdCreate("fake-control", MAX_CHANNELS * 4096L);
    private final Fd vram = kernel.memfdCreate("fake-vram", APERTURE_BYTES);
    private final Fd events = kernel.eventfd(0, Kernel.NONBLOCK);
    private final ConcurrentLinkedQueue<Object> happened = new ConcurrentLinkedQueue<>();
    final List<String> regions = new ArrayList<>();
    private final BitSet ids = new BitSet();
    int buffers;
    int spaces;
    int channels;
    boolean closed;
    long allocated;

    @Override
    public Optional<SharedArea> controlPages() {
      return Optional.of(new SharedArea(control, 0, MAX_CHANNELS * 4096L));
    }

    @Override
    public Optional<SharedArea> vramAperture() {
      return missing.contains(Capability.VRAM_APERTURE)
          ? Optional.empty()
          : Optional.of(new SharedArea(vram, 0, APERTURE_BYTES));
    }

    @Override
    public Optional<SharedArea> doorbell() {
      return Optional.empty();
    }

    @Override
    public OptionalLong parameter(long id) {
      return id == 11 ? OptionalLong.of(0xc0) : OptionalLong.empty();
    }

    @Override
    public AddressSpace createAddressSpace() {
      spaces++;
      return new Space();
    }

    @Override
    public GpuMemory allocate(MemoryRequest request) {
      CountDownLatch wait = gate;
      if (wait != null) {
        try {
          wait.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      RuntimeException thrown = failure;
      if (thrown != null) {
        throw thrown;
      }
      if (request.sizeBytes() <= 0 || allocated + request.sizeBytes() > APERTURE_BYTES) {
        throw new RefusedException("SLU-TST-001", Errno.ENOMEM, "no room", "");
      }
      long size = (request.sizeBytes() + 4095) & -4096;
      Memory memory = new Memory(size, OptionalLong.of(allocated));
      allocated += size;
      buffers++;
      return memory;
    }

    @Override
    public RegisteredMemory addRegion(Fd fd, long offset, long sizeBytes, boolean writable) {
      RuntimeException thrown = failure;
      if (thrown != null) {
        throw thrown;
      }
      String region = "offset=" + offset + " size=" + sizeBytes + " writable=" + writable;
      regions.add(region);
      return new RegisteredMemory() {
        @Override
        public long sizeBytes() {
          return sizeBytes;
        }

        @Override
        public void close() {
          regions.remove(region);
        }
      };
    }

    @Override
    public GpuMemory register(MemoryRequest request) {
      buffers++;
      return new Memory(request.sizeBytes(), OptionalLong.empty());
    }

    @Override
    public Fd events() {
      return events;
    }

    /** Makes something happen that {@code dispatchEvents} delivers. */
    void happen(Object what) {
      happened.add(what);
      kernel.signal(events);
    }

    @Override
    public int readEvents(EventSink sink) {
      kernel.drain(events);
      int count = 0;
      for (Object what = happened.poll(); what != null; what = happened.poll()) {
        if (what instanceof ChannelError error) {
          sink.error(error);
        } else {
          sink.interrupt((Integer) what, 7);
        }
        count++;
      }
      return count;
    }

    @Override
    public MemoryUsage usage() {
      return new MemoryUsage(allocated, 0, APERTURE_BYTES, APERTURE_BYTES - allocated);
    }

    @Override
    public void close() {
      closed = true;
      control.close();
      vram.close();
      events.close();
    }

    private final class Memory implements GpuMemory {
      private final long sizeBytes;
      private final OptionalLong offset;

      Memory(long sizeBytes, OptionalLong offset) {
        this.sizeBytes = sizeBytes;
        this.offset = offset;
      }

      @Override
      public long sizeBytes() {
        return sizeBytes;
      }

      @Override
      public OptionalLong apertureOffset() {
        return offset;
      }

      @Override
      public SharedArea share() {
        throw new UnsupportedOperationException();
      }

      @Override
      public void setPages(long at, List<RegionExtent> extents) {}

      @Override
      public void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap) {}

      @Override
      public void close() {
        buffers--;
      }
    }

    private final class Space implements AddressSpace {
      private long next;

      @Override
      public GpuVa map(GpuMemory memory, GpuVa start, GpuVa end, boolean highestFirst) {
        long address = Math.max(next, start.value());
        next = address + memory.sizeBytes();
        return new GpuVa(address);
      }

      @Override
      public void unmap(GpuVa address) {}

      @Override
      public Channel createChannel(OptionalInt id) {
        int free = ids.nextClearBit(1);
        if (free >= MAX_CHANNELS) {
          throw new RefusedException("SLU-TST-003", Errno.ENOMEM, "no channel", "");
        }
        ids.set(free);
        channels++;
        return new Chan(free);
      }

      @Override
      public void close() {
        spaces--;
      }
    }

    private final class Chan implements Channel {
      private final int id;
      private ChannelState state = ChannelState.NEW;
      private int reason;

      Chan(int id) {
        this.id = id;
      }

      @Override
      public int id() {
        return id;
      }

      @Override
      public void start(GpuVa ringStart, int ringOrder, int slimask) {
        state = ChannelState.RUNNING;
      }

      @Override
      public SharedArea controlPage() {
        throw new UnsupportedOperationException();
      }

      @Override
      public int doorbellToken() {
        return 0;
      }

      @Override
      public void declareObject(int handle, int objectClass, int flags) {}

      @Override
      public void suspend() {}

      @Override
      public void resume() {}

      @Override
      public void detach() {}

      @Override
      public void attach() {}

      @Override
      public void kill(int newReason, int info) {
        state = ChannelState.DEAD;
        reason = newReason;
      }

      @Override
      public void setWeight(int weight) {}

      @Override
      public Status status() {
        return new Status(
            state,
            new Status.Cause(reason, 0, 0),
            new Status.Progress(0, 0, true, false, 0),
            Status.Usage.NONE);
      }

      @Override
      public byte[] saveState() {
        return new byte[0];
      }

      @Override
      public void restoreState(byte[] state) {}

      @Override
      public void close() {
        ids.clear(id);
        channels--;
      }
    }
  }
}
