package io.sluice.testbed.workloads.device;

import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.workloads.TextureWords;
import io.sluice.testbed.workloads.asm.Kernel;

/**
 * Words of the compute class 90c0 (cl90c0.h), in the order in which Gdev emits them. Programs
 * without local memory only.
 */
final class LaunchWords {
  private static final int SHARED_WINDOW = 0x0100_0000;
  private static final int LOCAL_WINDOW = 0x0200_0000;
  private static final int STACK_POINTER = 0x00ff_fc40;
  private static final int STACK_POINTER_OFFSET = 0x100;
  private static final int GENERIC_ENTRIES = 255;
  private static final int LOCAL_TOTAL_BYTES = 0xb4_0000;
  private static final int LOCAL_WARP_BYTES = 0x4000;
  private static final int STACK_BYTES = 0x200;
  private static final int SHARED_ALIGNMENT = 0x80;
  private static final int SMALL_SHARED_BYTES = 16 << 10;
  private static final int LOAD_CONSTANT = 0x2390;
  private static final int NON_INCREASING = 0x6000_0000;
  private static final int COMPUTE = Pushbuffer.COMPUTE;

  private LaunchWords() {}

  /** What a channel needs once, after its classes are bound. */
  static Pushbuffer setUp(Pushbuffer words) {
    one(words, 0x758, 15);
    one(words, 0xd64, 0xf);
    one(words, 0x2a0, 0x8000);
    one(words, 0x2c4, 0);
    for (int i = 0; i < GENERIC_ENTRIES; i++) {
      one(words, 0x2c8, 0xc000_0000 | i << 16 | i);
    }
    one(words, 0x2c4, 1);
    return words;
  }

  /**
   * Where a launch's program and banks are.
   *
   * @param program address of the code, a multiple of 256
   * @param bank0 address of the bank of parameters
   * @param bank0Bytes its size
   * @param bank1 address of the driver's bank
   * @param bank1Bytes its size
   */
  record Place(long program, long bank0, int bank0Bytes, long bank1, int bank1Bytes) {}

  /** Binds the sampler at an address and the header behind it to slot 0. */
  static void bindTexture(Pushbuffer words, long pools) {
    long headers = pools + 4L * TextureWords.ENTRY_WORDS;
    words.methods(COMPUTE, 0x155c, high(pools), (int) pools, 0);
    words.methods(COMPUTE, 0x1574, high(headers), (int) headers, 0);
    one(words, 0x1334, 0);
    one(words, 0x1338, 0);
    one(words, 0x1330, 0);
    one(words, 0x228, 1);
    one(words, 0x22c, 1);
  }

  /** A launch. */
  static void launch(
      Pushbuffer words, Kernel kernel, Place place, int[] grid, int[] block, int[] parameters) {
    int shared = (kernel.sharedBytes() + SHARED_ALIGNMENT - 1) & -SHARED_ALIGNMENT;
    words.methods(COMPUTE, 0x790, 0, 0, 0, LOCAL_TOTAL_BYTES, LOCAL_WARP_BYTES);
    one(words, 0x77c, LOCAL_WINDOW);
    words.methods(COMPUTE, 0x204, 0, 0, STACK_BYTES);
    one(words, 0x308, shared > SMALL_SHARED_BYTES ? 3 : 1);
    one(words, 0x214, SHARED_WINDOW);
    one(words, 0x24c, shared);
    one(words, 0x1698, 1);
    words.methods(COMPUTE, 0x1608, high(place.program), (int) place.program);
    one(words, 0x3b4, 0);
    banks(words, place, grid, block, parameters);
    one(words, 0x1698, 0x1000);
    words.methods(COMPUTE, 0x238, grid[1] << 16 | grid[0], 1);
    words.methods(COMPUTE, 0x3ac, block[1] << 16 | block[0], 1);
    one(words, 0x250, block[0] * block[1]);
    one(words, 0x2c0, kernel.registers());
    one(words, 0x254, kernel.barriers());
    one(words, 0x780, 0);
    one(words, 0x36c, 0);
    one(words, 0x1698, 0x110);
    one(words, 0x29c, 0);
    one(words, 0xa08, 0);
    one(words, 0x368, 0x1000);
    one(words, 0xa04, 0);
    one(words, 0x360, 1);
  }

  private static void banks(
      Pushbuffer words, Place place, int[] grid, int[] block, int[] parameters) {
    select(words, 0, place.bank0, place.bank0Bytes);
    one(words, 0x238c, 0);
    int count = 8 + parameters.length;
    words.raw(NON_INCREASING | count << 16 | COMPUTE << 13 | LOAD_CONSTANT >> 2);
    words.raw(SHARED_WINDOW).raw(LOCAL_WINDOW);
    words.raw(block[0]).raw(block[1]).raw(1);
    words.raw(grid[0]).raw(grid[1]).raw(1);
    for (int parameter : parameters) {
      words.raw(parameter);
    }
    select(words, 1, place.bank1, place.bank1Bytes);
    one(words, 0x238c, STACK_POINTER_OFFSET);
    one(words, LOAD_CONSTANT, STACK_POINTER);
  }

  private static void select(Pushbuffer words, int slot, long address, int bytes) {
    words.methods(COMPUTE, 0x2380, bytes, high(address), (int) address);
    one(words, 0x1694, slot << 8 | 1);
  }

  private static void one(Pushbuffer words, int method, int value) {
    words.methods(COMPUTE, method, value);
  }

  private static int high(long address) {
    return (int) (address >>> 32);
  }
}
