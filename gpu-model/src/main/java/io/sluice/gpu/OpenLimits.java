package io.sluice.gpu;

/**
 * The most that one open of the GPU may make, whatever its guest asks for: beyond it a call is
 * refused with an error that names the limit. With every table full an open takes some 120 MB of
 * the heap, to which its grids and programs come.
 *
 * <pre>
 *  regions          4095             table of ExtRegionAdd       1 MB
 *  buffers          MAX_BUFFERS      some 400 bytes each        52 MB
 *  extents          MAX_EXTENTS      28 bytes, half full        30 MB
 *  free ranges      one for each buffer, some 220 bytes         29 MB
 *  mappings         MAX_MAPPINGS     20 bytes, half full         5 MB
 *  address spaces   127 of the card, 48 KiB of region counts     6 MB
 *  channels         126 of the card, some 20 KB each             3 MB
 *  dirty pages      a bit for 4 KiB of 64 GiB and its own        3 MB
 *  grids            GpuConfig.gridHeapBytes                     64 MB, half the heap for all opens
 *  programs         CompiledPrograms.MAX_BYTES                   8 MB, 16 names are kept
 * </pre>
 */
final class OpenLimits {
  /** Handles of buffers, 0 not counted. */
  static final int MAX_HANDLES = 1 << 16;

  /** Buffers that live, those without a handle included. */
  static final int MAX_BUFFERS = 1 << 17;

  /** Mappings of all address spaces together. */
  static final int MAX_MAPPINGS = 1 << 17;

  /** Guest memory in buffers; also bounds what is kept per page. */
  static final long MAX_IMPORT_BYTES = 64L << 30;

  /** Extents of guest memory: 2 GiB in which no two pages are neighbours. */
  static final int MAX_EXTENTS = 1 << 19;

  private OpenLimits() {}
}
