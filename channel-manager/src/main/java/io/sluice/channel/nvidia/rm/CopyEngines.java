package io.sluice.channel.nvidia.rm;

import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.control.CeCaps;
import io.sluice.abi.rm.control.EngineList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The copy engines that are nobody's part: those shared with graphics wait for its work. The last
 * one is left to the monitor channels; the others are handed out in turn.
 */
public final class CopyEngines {
  private final List<Integer> engines;
  private final AtomicInteger turn = new AtomicInteger();

  private CopyEngines(List<Integer> engines) {
    this.engines = engines;
  }

  public static CopyEngines ask(RmClient client) {
    List<Integer> all = new ArrayList<>();
    long _ =
        client.control(
            client.subdevice(),
            RmControl.GPU_GET_ENGINES_V2,
            _ -> {},
            block -> {
              for (int i = 0;
                  i < Math.min(EngineList.COUNT.get(block), EngineList.ENGINE.count());
                  i++) {
                all.add(EngineList.ENGINE.at(i).bits(block));
              }
              return 0;
            });
    List<Integer> own =
        all.stream()
            .filter(RmEngine::isCopy)
            .filter(engine -> !isShared(client, engine))
            .sorted()
            .toList();
    return new CopyEngines(own);
  }

  private static boolean isShared(RmClient client, int engine) {
    long caps =
        client.control(
            client.subdevice(),
            RmControl.CE_GET_CAPS_V2,
            block -> CeCaps.ENGINE_TYPE.setBits(block, engine),
            block -> CeCaps.CAPS.at(0).get(block));
    return (caps & CeCaps.CAPS_GRCE) != 0;
  }

  public boolean isEmpty() {
    return engines.isEmpty();
  }

  /** Ascending. */
  public List<Integer> all() {
    return engines;
  }

  /** The engine of monitor channels, which is also the fastest. */
  public int ofMonitors() {
    return engines.getLast();
  }

  /** The engine of the next guest channel that only copies. */
  public int next() {
    int usable = Math.max(1, engines.size() - 1);
    return engines.get(Math.floorMod(turn.getAndIncrement(), usable));
  }
}
