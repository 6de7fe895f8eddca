package io.sluice.gpu.launch;

import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The compiled programs of guests, by name, also while a guest has no open of the GPU. What a guest
 * runs takes HotSpot seconds to compile well; one that was restarted, or that has moved away and
 * back, need not wait for that again. Nobody finds the programs of another name.
 *
 * <p>Guarded by the GPU's lock.
 */
final class KeptPrograms {
  /** Most guests that are remembered; the one that came longest ago makes room. */
  static final int MAX_GUESTS = 16;

  private final Map<String, CompiledPrograms> byGuest = new LinkedHashMap<>(16, 0.75f, true);

  /** Those of the guest that an open is for; new ones of an open for nobody in particular. */
  CompiledPrograms of(TimeShare share) {
    if (share.guest().isEmpty()) {
      return new CompiledPrograms();
    }
    CompiledPrograms found =
        byGuest.computeIfAbsent(share.guest().get(), _ -> new CompiledPrograms());
    if (byGuest.size() > MAX_GUESTS) {
      byGuest.remove(byGuest.keySet().iterator().next());
    }
    return found;
  }
}
