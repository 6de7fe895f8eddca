package io.sluice.gpu.fifo;

import static io.sluice.gpu.engine.LittleEndian.INT_ACCESS;

import io.sluice.gpu.engine.EngineHost;
import io.sluice.gpu.engine.Outcome;
import io.sluice.gpu.engine.SemaphoreRelease;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.nio.ByteBuffer;

/**
 * The host's semaphore methods A to D, cl906f.h. D executes what A, B and C have set.
 *
 * <pre>
 *  A  7..0 address[39:32]    B  31..2 address[31:2]    C  payload
 *  D  3..0 operation: 1 ACQUIRE (equal)  2 RELEASE  4 ACQ_GEQ (signed difference)  8 ACQ_AND
 *     12 ACQUIRE_SWITCH   20 RELEASE_WFI off   24 RELEASE_SIZE (0: four words, 1: one)
 * </pre>
 *
 * <p>A blocked acquire always gives way to other channels, with or without ACQUIRE_SWITCH, so that
 * it cannot hold up the release it waits for. There is no time-out: whoever watches the channel
 * sees that it waits and may end it. Engines are idle between methods here, so a release never has
 * to wait for them.
 */
final class HostSemaphore {
  static final int A = 0x10;
  static final int D = 0x1c;

  private static final int B = 0x14;
  private static final int C = 0x18;
  private static final int ACQUIRE = 1;
  private static final int RELEASE = 2;
  private static final int ACQUIRE_GEQ = 4;
  private static final int ACQUIRE_AND = 8;
  private static final int OPERATION_FIELD = 0xf;
  private static final int RELEASE_ONE_WORD = 1 << 24;

  /** More than the longest time between two looks at a channel, by little. */
  static final long MOST_BETWEEN_LOOKS_NS = 8_000_000;

  private final EngineHost host;
  private final ChannelFaults faults;
  private final Run run = new Run();
  private int addressHigh;
  private int addressLow;
  private int payload;
  private int parked;
  private long parkedAddress;
  private int parkedPayload;
  private long waitedNs;
  private long lookedNs;

  HostSemaphore(EngineHost host, ChannelFaults faults) {
    this.host = host;
    this.faults = faults;
  }

  /** Whether an acquire waits. */
  boolean isParked() {
    return parked != 0;
  }

  /** How long the acquire that waits has been looked at. */
  long waitedNs() {
    return waitedNs;
  }

  /** The engine looks at it. When it could not for long, that was not the channel's doing. */
  void looked(long nowNs) {
    waitedNs += Math.clamp(nowNs - lookedNs, 0, MOST_BETWEEN_LOOKS_NS);
    lookedNs = nowNs;
  }

  /** What the acquire waits for; 0 when none does. */
  long parkedAddress() {
    return parked == 0 ? 0 : parkedAddress;
  }

  /** Whether {@link #retry} would get on, be it to a fault. */
  boolean canGoOn() {
    return host.space().translate(parkedAddress, 4, false, run) != FaultReason.NONE
        || isSatisfied();
  }

  /** The value is where the run is. */
  private boolean isSatisfied() {
    int value = (int) INT_ACCESS.getAcquire(run.segment(), run.offset());
    return switch (parked) {
      case ACQUIRE -> value == parkedPayload;
      case ACQUIRE_GEQ -> value - parkedPayload >= 0;
      default -> (value & parkedPayload) != 0;
    };
  }

  /** Executes one of the four methods. */
  Outcome method(int method, int data) {
    switch (method) {
      case A -> addressHigh = data & 0xff;
      case B -> addressLow = data & ~3;
      case C -> payload = data;
      default -> {
        return operate(data);
      }
    }
    return Outcome.DONE;
  }

  /** Looks again at the memory a parked acquire waits for. */
  Outcome retry() {
    return acquire(host.space().translate(parkedAddress, 4, false, run));
  }

  private Outcome acquire(FaultReason reason) {
    if (reason != FaultReason.NONE) {
      parked = 0;
      return host.pageFault(reason, false, GpuUnit.PSUBFIFO, parkedAddress);
    }
    if (!isSatisfied()) {
      return Outcome.BLOCKED;
    }
    parked = 0;
    return Outcome.DONE;
  }

  private Outcome operate(int word) {
    long address = Integer.toUnsignedLong(addressHigh) << 32 | Integer.toUnsignedLong(addressLow);
    int operation = word & OPERATION_FIELD;
    switch (operation) {
      case ACQUIRE, ACQUIRE_GEQ, ACQUIRE_AND -> {
        parked = operation;
        parkedAddress = address;
        parkedPayload = payload;
        waitedNs = 0;
        lookedNs = host.timeNs();
        return acquire(host.translate(address, 4, false, run));
      }
      case RELEASE -> {
        boolean oneWord = (word & RELEASE_ONE_WORD) != 0;
        if (!SemaphoreRelease.isAligned(address, oneWord)) {
          return faults.fault(EndReason.SEMAPHORE, word, address);
        }
        FaultReason reason = SemaphoreRelease.write(host, address, payload, oneWord, run);
        return reason == FaultReason.NONE
            ? Outcome.DONE
            : host.pageFault(reason, true, GpuUnit.PSUBFIFO, address);
      }
      default -> {
        return faults.fault(EndReason.SEMAPHORE, word, address);
      }
    }
  }

  void save(ByteBuffer to) {
    to.putInt(addressHigh).putInt(addressLow).putInt(payload);
    to.putInt(parked).putLong(parkedAddress).putInt(parkedPayload);
  }

  void restore(ByteBuffer from) {
    addressHigh = from.getInt();
    addressLow = from.getInt();
    payload = from.getInt();
    parked = from.getInt();
    parkedAddress = from.getLong();
    parkedPayload = from.getInt();
    waitedNs = 0;
    lookedNs = host.timeNs();
    boolean valid =
        parked == 0 || parked == ACQUIRE || parked == ACQUIRE_GEQ || parked == ACQUIRE_AND;
    if (!valid || (parkedAddress & 3) != 0) {
      throw new IllegalArgumentException("no such parked acquire, operation=" + parked);
    }
  }
}
