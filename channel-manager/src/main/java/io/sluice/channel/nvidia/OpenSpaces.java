package io.sluice.channel.nvidia;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The address spaces of an open. Guarded by its lock. */
final class OpenSpaces {
  private final Set<NvidiaAddressSpace> spaces = new HashSet<>();

  int count() {
    return spaces.size();
  }

  void add(NvidiaAddressSpace space) {
    spaces.add(space);
  }

  void remove(NvidiaAddressSpace space) {
    spaces.remove(space);
  }

  /** Takes a buffer's pieces out wherever it is mapped. */
  void unmap(NvidiaMemory memory) {
    spaces.forEach(space -> space.unmapAll(memory));
  }

  /** Puts the pieces that a buffer has now in, wherever it was; whether that was possible. */
  boolean mapAgain(NvidiaMemory memory) {
    boolean all = true;
    for (NvidiaAddressSpace space : spaces) {
      all &= space.mapAllAgain(memory);
    }
    return all;
  }

  void close() {
    List.copyOf(spaces).forEach(NvidiaAddressSpace::close);
  }
}
