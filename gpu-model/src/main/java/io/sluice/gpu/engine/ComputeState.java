package io.sluice.gpu.engine;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The state of the compute class: the words of its methods, the bound constant buffers, the
 * generic-address table.
 *
 * <p>The class has about 600 methods. Those with a meaning here are always kept; of the others the
 * first {@value #MAX_OTHER_METHODS} that a channel uses, so that the state stays bounded. Nothing
 * reads them.
 */
public final class ComputeState {
  /** Constant-buffer slots. */
  public static final int CONSTANT_SLOTS = 32;

  /** Entries of the generic-address table. */
  public static final int GENERIC_ENTRIES = 256;

  /** Most words kept of methods without a meaning here. */
  public static final int MAX_OTHER_METHODS = 256;

  /** Texture slots. */
  public static final int TEXTURE_SLOTS = 256;

  /** Sampler slots. */
  public static final int SAMPLER_SLOTS = 32;

  private static final int FIRST_METHOD = 0x100;
  private static final int LAST_METHOD = 0x3ffc;

  /** Behind the methods stand the words that bound the slots, the textures' first. */
  private static final int TEXTURE_WORDS = LAST_METHOD + 4;

  private static final int SAMPLER_WORDS = TEXTURE_WORDS + 4 * TEXTURE_SLOTS;
  private static final int LAST_WORD = SAMPLER_WORDS + 4 * (SAMPLER_SLOTS - 1);

  /** First and last method of each range with a meaning (cl90c0.h). */
  private static final int[][] KNOWN = {
    {0x204, 0x210}, {0x214, 0x21c}, {0x238, 0x23c}, {0x24c, 0x254}, {0x29c, 0x2a0},
    {0x2c0, 0x2c4}, {0x308, 0x308}, {0x360, 0x36c}, {0x3ac, 0x3b4}, {0x758, 0x758},
    {0x77c, 0x780}, {0x790, 0x7a0}, {0xa04, 0xa08}, {0xd64, 0xd64}, {0x1234, 0x1234},
    {0x155c, 0x1564}, {0x1574, 0x157c}, {0x1608, 0x160c}, {0x1698, 0x1698}, {0x1b00, 0x1b0c},
    {0x2380, 0x238c}, {0x2700, 0x27f4}
  };

  private static final BitSet KNOWN_METHODS = new BitSet();

  static {
    for (int[] range : KNOWN) {
      KNOWN_METHODS.set(range[0] >> 2, (range[1] >> 2) + 1);
    }
  }

  private final MethodRegisters registers = new MethodRegisters(FIRST_METHOD, LAST_WORD);
  private final BitSet others = new BitSet(LAST_METHOD >> 2);
  private int otherCount;
  private final long[] constantAddress = new long[CONSTANT_SLOTS];
  private final int[] constantBytes = new int[CONSTANT_SLOTS];
  private final int[] generic = new int[GENERIC_ENTRIES];

  /** The last word a method was given; 0 when it never was. */
  public int register(int method) {
    return registers.get(method);
  }

  /** The address whose upper word a method holds and whose lower word the next one holds. */
  public long address(int highMethod) {
    return registers.address(highMethod);
  }

  /** GPU address of the constant buffer in a slot; meaningless when its size is 0. */
  public long constantAddress(int slot) {
    return constantAddress[slot];
  }

  /** Bytes of the constant buffer in a slot; 0 when none is bound. */
  public int constantBytes(int slot) {
    return constantBytes[slot];
  }

  /** The word that bound a texture slot last; 0 when none is bound. */
  public int textureWord(int slot) {
    return registers.get(TEXTURE_WORDS + 4 * slot);
  }

  /** The word that bound a sampler slot last; 0 when none is bound. */
  public int samplerWord(int slot) {
    return registers.get(SAMPLER_WORDS + 4 * slot);
  }

  void record(int method, int data) {
    int index = method >> 2;
    if (!KNOWN_METHODS.get(index) && !others.get(index)) {
      if (otherCount == MAX_OTHER_METHODS) {
        return;
      }
      others.set(index);
      otherCount++;
    }
    registers.set(method, data);
  }

  void bindConstant(int slot, long address, int bytes) {
    constantAddress[slot] = address;
    constantBytes[slot] = bytes;
  }

  void bindTexture(int slot, int word) {
    registers.set(TEXTURE_WORDS + 4 * slot, word);
  }

  void bindSampler(int slot, int word) {
    registers.set(SAMPLER_WORDS + 4 * slot, word);
  }

  void loadGeneric(int word) {
    generic[word >>> 16 & 0xff] = word;
  }

  void save(ByteBuffer to) {
    registers.save(to);
    for (int i = 0; i < CONSTANT_SLOTS; i++) {
      to.putLong(constantAddress[i]).putInt(constantBytes[i]);
    }
    for (int word : generic) {
      to.putInt(word);
    }
  }

  void restore(ByteBuffer from) {
    registers.restore(from);
    others.clear();
    otherCount = 0;
    for (int method = FIRST_METHOD; method <= LAST_METHOD; method += 4) {
      if (!KNOWN_METHODS.get(method >> 2) && registers.get(method) != 0) {
        others.set(method >> 2);
        otherCount++;
      }
    }
    if (otherCount > MAX_OTHER_METHODS) {
      throw new IllegalArgumentException("too many other methods, count=" + otherCount);
    }
    for (int i = 0; i < CONSTANT_SLOTS; i++) {
      constantAddress[i] = from.getLong();
      constantBytes[i] = from.getInt();
    }
    for (int i = 0; i < GENERIC_ENTRIES; i++) {
      generic[i] = from.getInt();
    }
  }
}
