package io.sluice.channel.policy;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The memory of all guests' programs, by guest. Guarded by the lock of the quotas. */
final class ProgramTable {
  private final Map<String, ProgramMemory> programs = new TreeMap<>();

  ProgramMemory of(String guest, MemoryQuotas quotas) {
    return programs.computeIfAbsent(guest, name -> new ProgramMemory(quotas, name));
  }

  boolean has(ProgramMemory memory) {
    return programs.get(memory.guest()) == memory;
  }

  void remove(String guest) {
    programs.remove(guest);
  }

  boolean usesGpu(String guest) {
    ProgramMemory memory = programs.get(guest);
    return memory != null && memory.usesGpu();
  }

  /** Adds the guests that use the GPU by programs. */
  void addUsing(Set<String> names) {
    programs.keySet().stream().filter(this::usesGpu).forEach(names::add);
  }

  /** What a guest's own buffers must leave. */
  long heldBytes(String guest) {
    ProgramMemory memory = programs.get(guest);
    return memory == null ? 0 : memory.heldBytes();
  }

  /** That of all guests. */
  long heldBytes() {
    return programs.values().stream().mapToLong(ProgramMemory::heldBytes).sum();
  }

  /** What of a guest's share its own buffers may have. */
  long beside(String guest, Map<String, Long> shares) {
    return Math.max(0, shares.getOrDefault(guest, 0L) - heldBytes(guest));
  }

  /** The same of all guests. */
  SortedMap<String, Long> beside(Map<String, Long> shares) {
    SortedMap<String, Long> own = new TreeMap<>();
    shares.keySet().forEach(guest -> own.put(guest, beside(guest, shares)));
    return own;
  }
}
