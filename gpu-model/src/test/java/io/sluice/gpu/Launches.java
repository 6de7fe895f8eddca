package io.sluice.gpu;

import static io.sluice.gpu.Words.join;

import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** What a driver sends for a launch. */
final class Launches {
  private static final int COMPUTE = 0x90c0;

  private Launches() {}

  private static int[] method(int method, int... data) {
    return join(new int[] {0x20000000 | data.length << 16 | method >> 2}, data);
  }

  /**
   * A launch of a program in memory of its own.
   *
   * @param parameter the first parameter of the kernel
   * @param threads of a block
   * @param stackBytes call stack of a warp
   */
  static int[] of(
      GuestChannel on, long[] program, long parameter, int blocks, int threads, int stackBytes) {
    Client.Memory code =
        on.client.memory(on.vid, PscnvGem.VRAM_SMALL, Math.max(4096, program.length * 8L));
    Client.Memory bank = on.client.memory(on.vid, PscnvGem.VRAM_SMALL, 4096);
    for (int i = 0; i < program.length; i++) {
      code.bytes().setAtIndex(ValueLayout.JAVA_LONG, i, program[i]);
    }
    bank.bytes().set(ValueLayout.JAVA_LONG, 0x20, parameter);
    List<int[]> words = new ArrayList<>();
    words.add(method(0, COMPUTE));
    words.add(method(0x1608, (int) (code.va() >>> 32), (int) code.va()));
    words.add(method(0x2380, 0x100, (int) (bank.va() >>> 32), (int) bank.va()));
    words.add(method(0x1694, 1));
    words.add(method(0x20c, stackBytes));
    words.add(method(0x214, 0x01000000));
    words.add(method(0x77c, 0x02000000));
    words.add(method(0x238, 1 << 16 | blocks, 1));
    words.add(method(0x3ac, 1 << 16 | threads, 1));
    words.add(method(0x250, threads));
    words.add(method(0x2c0, 20));
    words.add(method(0x368, 0x1000));
    return words.stream().reduce(new int[0], Words::join);
  }
}
