package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import io.sluice.migrate.link.MigrationCode;
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

  /**
   * Looks whether this guest can become what is offered.
   *
   * @throws RefusedException when its GPU is of another kind, or it may not hold as much
   */
  void requireRoom(Offer given) {
    if (guest.info().chipset() != given.chipset()) {
      throw new RefusedException(
          MigrationCode.OTHER_GPU,
          Errno.ENODEV,
          "the GPU is of another kind, chipset=0x"
              + Integer.toHexString(guest.info().chipset())
              + " source=0x"
              + Integer.toHexString(given.chipset()),
          "Choose a destination with a GPU of the same kind.");
    }
    long limit = guest.buffers().use().limitBytes();
    if (given.vramUsedBytes() > limit) {
      throw new RefusedException(
          MigrationCode.OVER_LIMIT,
          Errno.ENOMEM,
          "the guest holds more video memory than it may have here, bytes="
              + given.vramUsedBytes()
              + " limit="
              + limit,
          "Raise the guest's limit at the destination, or choose another.");
    }
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
