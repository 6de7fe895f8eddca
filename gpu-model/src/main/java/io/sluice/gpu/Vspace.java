package io.sluice.gpu;

import io.sluice.gpu.mmu.GpuAddressSpace;

/**
 * An address space of one open. It lives until it is freed and no channel uses it. Guarded by the
 * GPU's lock.
 */
final class Vspace {
  final int vid;
  final GpuAddressSpace space = new GpuAddressSpace();

  /** Channels that use it. */
  int channels;

  /** VSPACE_FREE was called: no client can name it any more. */
  boolean freed;

  Vspace(int vid) {
    this.vid = vid;
  }
}
