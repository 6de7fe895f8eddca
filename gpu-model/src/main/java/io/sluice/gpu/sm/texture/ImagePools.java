package io.sluice.gpu.sm.texture;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.warp.ImageBindings;
import org.jspecify.annotations.Nullable;

/**
 * The headers and samplers that a launch has bound, as one worker reads them from their pools: each
 * once, when it is used first. A slot without one, and one that is not known, is a fault.
 */
final class ImagePools {
  private static final int ENTRY_WORDS = ImageBindings.ENTRY_BYTES / Integer.BYTES;

  private final ImageBindings bindings;
  private final GlobalMemory memory;
  private final @Nullable Texture[] textures = new Texture[ImageBindings.TEXTURE_SLOTS];
  private final @Nullable Sampler[] samplers = new Sampler[ImageBindings.SAMPLER_SLOTS];
  private final @Nullable Sampler[] ofTexture = new Sampler[ImageBindings.TEXTURE_SLOTS];

  ImagePools(ImageBindings bindings, GlobalMemory memory) {
    this.bindings = bindings;
    this.memory = memory;
  }

  /** The texture of a slot. */
  Texture texture(int slot) {
    Texture known = textures[slot];
    if (known == null) {
      known = Texture.of(entry(bindings.headers(), headerOf(slot))).orElseThrow(ImagePools::fault);
      textures[slot] = known;
    }
    return known;
  }

  /** The sampler that an instruction names, or that belongs to its texture. */
  Sampler sampler(int textureSlot, int slot) {
    boolean byHeader = bindings.samplerByHeader();
    @Nullable Sampler[] cache = byHeader ? ofTexture : samplers;
    int place = byHeader ? textureSlot : slot;
    Sampler known = cache[place];
    if (known == null) {
      int index = byHeader ? headerOf(textureSlot) : samplerOf(slot);
      known = Sampler.of(entry(bindings.samplers(), index)).orElseThrow(ImagePools::fault);
      cache[place] = known;
    }
    return known;
  }

  private int headerOf(int slot) {
    return bound(bindings.headerOf().get(slot));
  }

  private int samplerOf(int slot) {
    return bound(bindings.samplerOf().get(slot));
  }

  private static int bound(@Nullable Integer index) {
    if (index == null) {
      throw fault();
    }
    return index;
  }

  private int[] entry(ImageBindings.Pool pool, int index) {
    if (index > pool.last() || pool.address() % ImageBindings.ENTRY_BYTES != 0) {
      throw fault();
    }
    long address = pool.address() + (long) index * ImageBindings.ENTRY_BYTES;
    int[] words = new int[ENTRY_WORDS];
    for (int i = 0; i < ENTRY_WORDS; i++) {
      words[i] = memory.load32(GlobalMemory.NO_SITE, address + (long) i * Integer.BYTES);
    }
    return words;
  }

  /** What a program gets that uses what is not there. */
  static WarpFault fault() {
    return new WarpFault(WarpError.INVALID_PARAM);
  }
}
