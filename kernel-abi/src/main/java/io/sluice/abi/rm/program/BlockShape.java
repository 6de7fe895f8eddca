package io.sluice.abi.rm.program;

import java.util.ArrayList;
import java.util.List;

/**
 * The shape of a block that a program hands to the driver: how long it is, and where in it things
 * stand that mean something else in another process. All offsets in bytes.
 *
 * @param name as the driver's headers call it
 * @param bytes of the block; {@link #ANY} if the call itself says
 * @param status where the driver's answer stands; {@link #NONE} if there is none
 * @param clients where handles of clients stand; each must be the program's own, or 0
 * @param descriptors where numbers of descriptors stand
 * @param lists what the block points to
 */
public record BlockShape(
    String name,
    int bytes,
    int status,
    List<Integer> clients,
    List<Integer> descriptors,
    List<ListShape> lists) {
  /** {@link #bytes} of a block whose length its call says. */
  public static final int ANY = -1;

  /** {@link #status} of a block without one. */
  public static final int NONE = -1;

  /**
   * The shape of a list that a block points to.
   *
   * @param pointer where its address stands
   * @param count where the number of its elements stands
   * @param element bytes of one
   */
  public record ListShape(int pointer, int count, int element) {}

  static BlockShape of(String name, int bytes) {
    return new BlockShape(name, bytes, NONE, List.of(), List.of(), List.of());
  }

  /** This, with the driver's answer at an offset. */
  BlockShape status(int offset) {
    return new BlockShape(name, bytes, offset, clients, descriptors, lists);
  }

  /** This, with a client's handle at each offset. */
  BlockShape clients(Integer... offsets) {
    return new BlockShape(name, bytes, status, List.of(offsets), descriptors, lists);
  }

  /** This, with a descriptor at an offset. */
  BlockShape descriptor(int offset) {
    return new BlockShape(name, bytes, status, clients, List.of(offset), lists);
  }

  /** This, and a list more. */
  BlockShape list(int pointer, int count, int element) {
    List<ListShape> more = new ArrayList<>(lists);
    more.add(new ListShape(pointer, count, element));
    return new BlockShape(name, bytes, status, clients, descriptors, List.copyOf(more));
  }
}
