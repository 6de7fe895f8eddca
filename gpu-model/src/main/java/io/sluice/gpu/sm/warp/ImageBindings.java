package io.sluice.gpu.sm.warp;

import java.util.List;
import java.util.Map;

/**
 * The textures, samplers and surfaces that a launch has bound (cl90c0.h).
 *
 * @param headers the pool of texture headers (SET_TEX_HEADER_POOL)
 * @param samplers the pool of samplers (SET_TEX_SAMPLER_POOL)
 * @param headerOf index of a header by texture slot (BIND_TEXTURE_HEADER)
 * @param samplerOf index of a sampler by sampler slot (BIND_TEXTURE_SAMPLER)
 * @param samplerByHeader whether the sampler is the one at the header's index (SET_SAMPLER_BINDING)
 * @param surfaces what is bound to the surface slots (SET_SU_LD_ST_TARGET)
 */
public record ImageBindings(
    Pool headers,
    Pool samplers,
    Map<Integer, Integer> headerOf,
    Map<Integer, Integer> samplerOf,
    boolean samplerByHeader,
    List<SurfaceTarget> surfaces) {
  /** Bytes of a texture header, and of a sampler. */
  public static final int ENTRY_BYTES = 32;

  /** Texture slots. */
  public static final int TEXTURE_SLOTS = 256;

  /** Sampler slots. */
  public static final int SAMPLER_SLOTS = 32;

  /** Surface slots. */
  public static final int SURFACE_SLOTS = 8;

  /** Nothing is bound. */
  public static final ImageBindings NONE =
      new ImageBindings(Pool.NONE, Pool.NONE, Map.of(), Map.of(), false, List.of());

  /**
   * A pool of entries.
   *
   * @param address GPU address of the first
   * @param last the highest index
   */
  public record Pool(long address, int last) {
    /** No pool. */
    public static final Pool NONE = new Pool(0, -1);
  }

  public ImageBindings {
    headerOf = Map.copyOf(headerOf);
    samplerOf = Map.copyOf(samplerOf);
    surfaces = List.copyOf(surfaces);
  }
}
