package io.sluice.migrate.sim;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.migrate.engine.MappedGuest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A host with a software GPU and, at times, the guest. */
final class Host implements AutoCloseable {
  /** Room for the windows of a migration. */
  private static final long SYSTEM_BYTES = 64L << 20;

  final Kernel kernel;
  final SoftwareGpu model;
  final Gpu gpu;

  /** The same, if it hides its video memory. */
  final @Nullable BlindGpu blind;

  final LongSupplier clock;
  final List<ChannelError> errors = new ArrayList<>();
  private final Map<Integer, Mapping> mappings = new HashMap<>();
  @Nullable Guest guest;
  @Nullable MappedGuest mapped;
  private @Nullable MemoryQuotas quotas;

  /** What the GPU of a host can do. */
  enum Kind {
    /** Video memory is a file, and what the GPU wrote is known. */
    APERTURE,
    /** It copies video memory. */
    COPIES,
    /** And computes fingerprints. */
    FINGERPRINTS
  }

  Host(Kernel kernel, LongSupplier clock, long vramBytes, Kind kind) {
    this.kernel = kernel;
    this.clock = clock;
    model =
        new SoftwareGpu(
            kernel, new GpuConfig(vramBytes, SYSTEM_BYTES, 100_000), clock, IdleStrategy.none());
    PscnvGpu real = new PscnvGpu("sim", kernel, model::open);
    blind = kind == Kind.APERTURE ? null : new BlindGpu(real, kernel, kind == Kind.FINGERPRINTS);
    gpu = blind == null ? real : blind;
  }

  MappedGuest attach(String name) {
    Guest attached =
        new Guest(
            name,
            gpu,
            kernel,
            new GuestListener() {
              @Override
              public void onInterrupt(int channelId) {}

              @Override
              public void onChannelError(ChannelError error) {
                errors.add(error);
              }
            });
    guest = attached;
    MemoryQuotas keeper = quotas;
    if (keeper != null) {
      keeper.attach(attached);
    }
    MappedGuest made = MappedGuest.of(attached, kernel);
    mapped = made;
    return made;
  }

  /** From now on the guest, and whoever comes in its place, is kept to its share. */
  void share(MemoryQuotas keeper) {
    quotas = keeper;
    Guest present = guest;
    if (present != null) {
      keeper.attach(present);
    }
  }

  /** Another guest, which stays where it is; the caller's. */
  Guest neighbour(String name) {
    return new Guest(
        name,
        gpu,
        kernel,
        new GuestListener() {
          @Override
          public void onInterrupt(int channelId) {}

          @Override
          public void onChannelError(ChannelError error) {
            errors.add(error);
          }
        });
  }

  /** Video memory as the guest maps it. */
  MemorySegment vram() {
    return map(
        blind == null
            ? Objects.requireNonNull(guest).vramAperture().orElseThrow()
            : blind.aperture());
  }

  /** Control pages as the guest maps them. */
  MemorySegment pages() {
    return map(Objects.requireNonNull(guest).controlPages());
  }

  private MemorySegment map(GuestGpu.SharedArea area) {
    return mappings
        .computeIfAbsent(
            area.fd().number(),
            _ ->
                kernel.mmap(
                    area.fd(),
                    area.offset(),
                    area.sizeBytes(),
                    Kernel.PROT_READ | Kernel.PROT_WRITE))
        .segment();
  }

  void detachGuest() {
    mappings.values().forEach(Mapping::close);
    mappings.clear();
    if (mapped != null) {
      mapped.close();
      mapped = null;
    }
    Guest gone = guest;
    if (gone != null) {
      if (quotas != null) {
        quotas.detach(gone);
      }
      gone.close();
      guest = null;
    }
  }

  /** Whether the GPU executes for the guest, or would at once if something were put. */
  boolean runsGuest() {
    Guest here = guest;
    return here != null
        && here.channels().ids().stream()
            .map(cid -> here.channels().query(cid).state())
            .anyMatch(state -> state == ChannelState.RUNNING);
  }

  void runGpu() {
    int _ = model.engine().doWork(clock.getAsLong());
  }

  @Override
  public void close() {
    detachGuest();
    gpu.close();
    model.close();
  }
}
