package io.sluice.migrate.sim;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Capability;
import io.sluice.channel.Channel;
import io.sluice.channel.EventSink;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.testbed.checks.StandIn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A GPU that shows its video memory to nobody, and copies and fingerprints it instead: another one
 * with its aperture hidden.
 */
final class BlindGpu implements Gpu {
  private final Gpu gpu;
  private final Kernel kernel;
  private final boolean fingerprints;

  /** The buffers that are mapped, by GPU address. */
  private final Map<Long, Hidden> mapped = new HashMap<>();

  private @Nullable GuestGpu opened;

  /** So often a channel that is to go on, or to be attached again, fails. */
  int goingOnFails;

  BlindGpu(Gpu gpu, Kernel kernel, boolean fingerprints) {
    this.gpu = gpu;
    this.kernel = kernel;
    this.fingerprints = fingerprints;
  }

  @Override
  public GpuInfo info() {
    return gpu.info();
  }

  @Override
  public ImmutableSet<Capability> capabilities() {
    Set<Capability> hidden = Set.of(Capability.VRAM_APERTURE, Capability.DIRTY_TRACKING);
    ImmutableSet.Builder<Capability> shown = ImmutableSet.builder();
    gpu.capabilities().stream().filter(one -> !hidden.contains(one)).forEach(shown::add);
    shown.add(Capability.BUFFER_COPIES);
    if (fingerprints) {
      shown.add(Capability.PAGE_FINGERPRINTS);
    }
    return shown.build();
  }

  @Override
  public long timeNs() {
    return gpu.timeNs();
  }

  @Override
  public GuestGpu open(String guestName) {
    GuestGpu made = gpu.open(guestName);
    opened = made;
    mapped.clear();
    return new Open(made);
  }

  @Override
  public void close() {
    gpu.close();
  }

  /** For the program of the test, whose processor writes video memory all the same. */
  GuestGpu.SharedArea aperture() {
    return Objects.requireNonNull(opened).vramAperture().orElseThrow();
  }

  /** Where in it the buffer is that is mapped at an address. */
  long offsetOf(GpuVa address) {
    return Objects.requireNonNull(mapped.get(address.value())).real.apertureOffset().orElseThrow();
  }

  /** A buffer without a place in an aperture. */
  private static final class Hidden implements GuestGpu.GpuMemory {
    final GuestGpu.GpuMemory real;

    Hidden(GuestGpu.GpuMemory real) {
      this.real = real;
    }

    @Override
    public long sizeBytes() {
      return real.sizeBytes();
    }

    @Override
    public OptionalLong apertureOffset() {
      return OptionalLong.empty();
    }

    @Override
    public GuestGpu.SharedArea share() {
      return real.share();
    }

    @Override
    public void setPages(long offset, List<GuestGpu.RegionExtent> extents) {
      real.setPages(offset, extents);
    }

    @Override
    public void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap) {
      real.readDirty(firstPage, pages, clear, bitmap);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private final class Open implements GuestGpu {
    private final GuestGpu open;

    Open(GuestGpu open) {
      this.open = open;
    }

    @Override
    public Optional<SharedArea> controlPages() {
      return open.controlPages();
    }

    @Override
    public Optional<SharedArea> vramAperture() {
      return Optional.empty();
    }

    @Override
    public Optional<SharedArea> doorbell() {
      return open.doorbell();
    }

    @Override
    public OptionalLong parameter(long id) {
      return open.parameter(id);
    }

    /** Buffers are unwrapped on their way in. */
    @Override
    public AddressSpace createAddressSpace() {
      AddressSpace space = open.createAddressSpace();
      return StandIn.of(
          AddressSpace.class,
          space,
          call -> {
            List<Object> given = call.arguments();
            Object result =
                call.passWith(
                    given.stream()
                        .map(each -> each instanceof Hidden hidden ? hidden.real : each)
                        .toArray());
            if (result instanceof GpuVa at && given.getFirst() instanceof Hidden hidden) {
              mapped.put(at.value(), hidden);
            }
            return result instanceof Channel channel ? failing(channel) : result;
          });
    }

    private Channel failing(Channel channel) {
      return StandIn.of(
          Channel.class,
          channel,
          call -> {
            if (call.is("resume", "attach") && goingOnFails > 0) {
              goingOnFails--;
              throw new OutOfMemoryError("by the test");
            }
            return call.pass();
          });
    }

    @Override
    public GpuMemory allocate(MemoryRequest request) {
      return new Hidden(open.allocate(request));
    }

    @Override
    public RegisteredMemory addRegion(Fd fd, long offset, long sizeBytes, boolean writable) {
      return open.addRegion(fd, offset, sizeBytes, writable);
    }

    @Override
    public GpuMemory register(MemoryRequest request) {
      return new Hidden(open.register(request));
    }

    @Override
    public void copy(GpuMemory from, long fromOffset, GpuMemory to, long toOffset, long bytes) {
      try (View source = view(from, fromOffset, bytes);
          View target = view(to, toOffset, bytes)) {
        MemorySegment.copy(source.bytes(), 0, target.bytes(), 0, bytes);
      }
    }

    @Override
    public void fingerprint(
        GpuMemory memory, long firstPage, int pages, long[] key, GpuMemory into, long intoOffset) {
      try (View source = view(memory, firstPage * 4096, pages * 4096L);
          View target = view(into, intoOffset, pages * 16L)) {
        for (int page = 0; page < pages; page++) {
          long low = 0;
          long high = 0;
          for (int i = 0; i < KEY_WORDS; i += 2) {
            long at = page * 4096L + i * 8L;
            long a = source.bytes().get(ValueLayout.JAVA_LONG, at) + key[i];
            long b = source.bytes().get(ValueLayout.JAVA_LONG, at + 8) + key[i + 1];
            low += a * b;
            high += Math.unsignedMultiplyHigh(a, b);
          }
          target.bytes().set(ValueLayout.JAVA_LONG, page * 16L, low);
          target.bytes().set(ValueLayout.JAVA_LONG, page * 16L + 8, high);
        }
      }
    }

    private View view(GpuMemory memory, long offset, long bytes) {
      SharedArea area = ((Hidden) memory).real.share();
      try (Fd fd = area.fd()) {
        return new View(
            kernel.mmap(fd, area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE),
            offset,
            bytes);
      }
    }

    @Override
    public Fd events() {
      return open.events();
    }

    @Override
    public int readEvents(EventSink sink) {
      return open.readEvents(sink);
    }

    @Override
    public MemoryUsage usage() {
      return open.usage();
    }

    @Override
    public void close() {
      open.close();
    }
  }

  private record View(Mapping mapping, long offset, long length) implements AutoCloseable {
    MemorySegment bytes() {
      return mapping.segment().asSlice(offset, length);
    }

    @Override
    public void close() {
      mapping.close();
    }
  }
}
