package io.sluice.gpu;

import io.sluice.gpu.mmu.Backing;
import io.sluice.gpu.mmu.GpuBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer object of one open: the handle a client knows it by, and the memory behind. It lives
 * until its handle is closed and no address space maps it. Guarded by the GPU's lock.
 */
final class GemObject extends GpuBuffer {
  /** The words of a client about a buffer, which it is told again. */
  record ClientWords(int flags, int tileFlags, int cookie) {}

  /** Words that only the client understands. */
  static final int USER_WORDS = 8;

  final int flags;
  final int tileFlags;
  final int cookie;
  final int[] user = new int[USER_WORDS];

  /** The file its memory is in; null for imported guest memory. */
  final @Nullable Aperture aperture;

  /** Offset in {@link #aperture}. */
  final long offset;

  /** Whether it counts as video memory now. */
  boolean inVideoMemory;

  /** 0 once the handle is closed. */
  int handle;

  /**
   * @param kind flags, tile flags and cookie, as the client gave them
   * @param alignment of its GPU addresses
   */
  GemObject(
      ClientWords kind,
      long sizeBytes,
      long alignment,
      Backing backing,
      @Nullable Aperture aperture,
      long offset) {
    super(sizeBytes, alignment, backing);
    this.flags = kind.flags;
    this.tileFlags = kind.tileFlags;
    this.cookie = kind.cookie;
    this.aperture = aperture;
    this.offset = offset;
  }
}
