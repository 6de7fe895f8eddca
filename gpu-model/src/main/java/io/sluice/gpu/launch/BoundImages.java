package io.sluice.gpu.launch;

import io.sluice.gpu.engine.ComputeState;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.gpu.sm.warp.SurfaceTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** The textures and surfaces that a channel has bound (cl90c0.h). */
final class BoundImages {
  private static final int SAMPLER_BINDING = 0x1234;
  private static final int SAMPLER_POOL = 0x155c;
  private static final int HEADER_POOL = 0x1574;
  private static final int POOL_LAST = 8;
  private static final int SAMPLER_LAST_FIELD = 0xfffff;
  private static final int HEADER_LAST_FIELD = 0x3fffff;
  private static final int SURFACE = 0x2700;
  private static final int SURFACE_STRIDE = 0x20;

  private BoundImages() {}

  /** What is bound. Nothing in it has been checked. */
  static ImageBindings of(ComputeState state) {
    return new ImageBindings(
        pool(state, HEADER_POOL, HEADER_LAST_FIELD),
        pool(state, SAMPLER_POOL, SAMPLER_LAST_FIELD),
        bound(ImageBindings.TEXTURE_SLOTS, state::textureWord, 9, 0x3fffff),
        bound(ImageBindings.SAMPLER_SLOTS, state::samplerWord, 12, 0x1fff),
        (state.register(SAMPLER_BINDING) & 1) != 0,
        surfaces(state));
  }

  private static ImageBindings.Pool pool(ComputeState state, int method, int lastField) {
    long address = state.address(method);
    return new ImageBindings.Pool(address, state.register(method + POOL_LAST) & lastField);
  }

  /** Indexes by slot, of the slots that are bound: those with a word. */
  private static Map<Integer, Integer> bound(
      int slots, IntUnaryOperator word, int indexBit, int indexField) {
    Map<Integer, Integer> bound = new HashMap<>();
    for (int slot = 0; slot < slots; slot++) {
      int data = word.applyAsInt(slot);
      if (data != 0) {
        bound.put(slot, data >>> indexBit & indexField);
      }
    }
    return bound;
  }

  private static List<SurfaceTarget> surfaces(ComputeState state) {
    List<SurfaceTarget> surfaces = new ArrayList<>(ImageBindings.SURFACE_SLOTS);
    for (int slot = 0; slot < ImageBindings.SURFACE_SLOTS; slot++) {
      int first = SURFACE + slot * SURFACE_STRIDE;
      surfaces.add(
          new SurfaceTarget(
              state.address(first),
              Integer.toUnsignedLong(state.register(first + 8)),
              state.register(first + 12),
              state.register(first + 16),
              state.register(first + 20)));
    }
    return surfaces;
  }
}
