package io.sluice.channel.nvidia.memory;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The address spaces of an open. Guarded by its lock. */
public final class OpenSpaces {
  private final Set<NvidiaAddressSpace> spaces = new HashSet<>();

  public int count() {
    return spaces.size();
  }

  public void add(NvidiaAddressSpace space) {
    spaces.add(space);
  }

  public void remove(NvidiaAddressSpace space) {
    spaces.remove(space);
  }

  /** Takes a buffer's pieces out wherever it is mapped. */
  public void unmap(NvidiaMemory memory) {
    spaces.forEach(space -> space.unmapAll(memory));
  }

  /** Puts the pieces that a buffer has now in, wherever it was; whether that was possible. */
  public boolean mapAgain(NvidiaMemory memory) {
    boolean all = true;
    for (NvidiaAddressSpace space : spaces) {
      all &= space.mapAllAgain(memory);
    }
    return all;
  }

  public void close() {
    List.copyOf(spaces).forEach(NvidiaAddressSpace::close);
  }
}
