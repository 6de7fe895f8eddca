package io.sluice.channel.nvidia.time;

import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.control.ResidentChannel;
import io.sluice.abi.rm.control.UtilSamples;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.time.TimeLedger.Period;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The graphics engine as a whole, as RM shows it to anybody. Of one thread. */
public final class GraphicsEngine {
  private static final Logger log = LoggerFactory.getLogger(GraphicsEngine.class);

  /** Samples are this far apart at most; what comes after a longer time is of one such time. */
  private static final long PERIOD_NS = 250_000_000;

  private final RmClient client;
  private boolean measures = true;

  public GraphicsEngine(RmClient client) {
    this.client = client;
  }

  /** The channel that the engine holds, busy or not, by its number; 0.15 ms. */
  OptionalInt resident() {
    try {
      return OptionalInt.of(
          (int)
              client.control(
                  client.subdevice(),
                  RmControl.GR_GET_CURRENT_RESIDENT_CHANNEL,
                  _ -> {},
                  ResidentChannel.CHANNEL::get));
    } catch (RefusedException e) {
      log.atDebug().setCause(e).log("no channel on the graphics engine");
      return OptionalInt.empty();
    }
  }

  /** Whether {@link #periods} are told; not on a card that is divided, for one. */
  boolean measures() {
    return measures;
  }

  /** How busy it was, in periods of the last 14 s, in order; 1.4 ms. */
  List<Period> periods() {
    Map<Long, Long> samples = new TreeMap<>();
    try {
      long _ =
          client.control(
              client.subdevice(),
              RmControl.PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2,
              UtilSamples::ask,
              block -> {
                for (int i = 0; i < UtilSamples.COUNT; i++) {
                  samples.put(
                      UtilSamples.TIME_NS.get(block, UtilSamples.SAMPLES.offsetOf(i)),
                      UtilSamples.GRAPHICS.get(block, UtilSamples.SAMPLES.offsetOf(i)));
                }
                return 0;
              });
    } catch (RefusedException e) {
      measures = false;
      log.atInfo().setCause(e).log("the GPU does not tell how busy it is");
    }
    samples.remove(0L);
    List<Period> periods = new ArrayList<>();
    long before = 0;
    for (Map.Entry<Long, Long> sample : samples.entrySet()) {
      long until = sample.getKey();
      long from = Math.max(before, until - PERIOD_NS);
      double part = sample.getValue() / (double) UtilSamples.ALL;
      periods.add(new Period(from, until, part * (until - from)));
      before = until;
    }
    return periods;
  }
}
