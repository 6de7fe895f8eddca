package io.sluice.gpu;

import io.sluice.gpu.mmu.GpuBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer object of one open: the handle a client knows it by, and the memory behind. It lives
 * until its handle is closed and no address space maps it. Guarded by the GPU's lock.
 */
final class GemObject {
  /** Words that only the client understands. */
  static final int USER_WORDS = 8;

  final int flags;
  final int tileFlags;
  final int cookie;
  final int[] user = new int[USER_WORDS];
  final GpuBuffer buffer;

  /** The file its memory is in; null for imported guest memory. */
  final @Nullable Aperture aperture;

  /** Offset in {@link #aperture}. */
  final long offset;

  /** Whether it counts as video memory now. */
  boolean inVideoMemory;

  /** 0 once the handle is closed. */
  int handle;

  GemObject(
      int flags,
      int tileFlags,
      int cookie,
      GpuBuffer buffer,
      @Nullable Aperture aperture,
      long offset) {
    this.flags = flags;
    this.tileFlags = tileFlags;
    this.cookie = cookie;
    this.buffer = buffer;
    this.aperture = aperture;
    this.offset = offset;
  }
}
