package io.sluice.migrate.engine;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A guest whose video memory and control pages this process sees. The guest stays its owner's. */
public final class MappedGuest implements AutoCloseable {
  private final Guest guest;
  private final Kernel kernel;
  private final @Nullable Mapping vram;
  private final Mapping control;

  private MappedGuest(Guest guest, Kernel kernel, @Nullable Mapping vram, Mapping control) {
    this.guest = guest;
    this.kernel = kernel;
    this.vram = vram;
    this.control = control;
  }

  /** Maps what a guest has. */
  public static MappedGuest of(Guest guest, Kernel kernel) {
    Mapping vram = guest.vramAperture().map(area -> map(area, kernel)).orElse(null);
    try {
      return new MappedGuest(guest, kernel, vram, map(guest.controlPages(), kernel));
    } catch (RuntimeException e) {
      if (vram != null) {
        vram.close();
      }
      throw e;
    }
  }

  private static Mapping map(SharedArea area, Kernel kernel) {
    return kernel.mmap(
        area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  Guest guest() {
    return guest;
  }

  /** Video memory; empty without an aperture. */
  MemorySegment vram() {
    return vram == null ? MemorySegment.NULL : vram.segment();
  }

  /** The file that video memory is; empty without an aperture. */
  Optional<SharedArea> vramFile() {
    return guest.vramAperture();
  }

  /** Whether video memory is a file that others can map. */
  boolean hasAperture() {
    return vram != null;
  }

  /** Bytes of the aperture, or of the card where there is none. */
  long memoryBytes() {
    return hasAperture() ? vram().byteSize() : guest.info().vramBytes();
  }

  Kernel kernel() {
    return kernel;
  }

  MemorySegment control() {
    return control.segment();
  }

  @Override
  public void close() {
    control.close();
    if (vram != null) {
      vram.close();
    }
  }
}
