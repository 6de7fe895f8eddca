package io.sluice.gpu.engine;

import static io.sluice.gpu.engine.LittleEndian.INT;
import static io.sluice.gpu.engine.LittleEndian.INT_ACCESS;
import static io.sluice.gpu.engine.LittleEndian.LONG;

import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.nio.ByteBuffer;

/**
 * The notify of a PGRAPH class: NOTIFY (0x10c) arms it, the next method of the object triggers it
 * once that method has been executed. Gdev sends a NOP for that purpose.
 *
 * <pre>
 *  record:  u64 PTIMER ns@0   u32 info@8 (0)   u16 info@12 (0)   u16 status@14 (0: done)
 * </pre>
 */
final class Notifier {
  static final int SET_ADDRESS_HIGH = 0x104;
  static final int SET_ADDRESS_LOW = 0x108;
  static final int NOTIFY = 0x10c;

  private static final int WRITE_ONLY = 0;
  private static final int WRITE_AND_AWAKEN = 1;
  private static final int RECORD_BYTES = 16;

  private final EngineHost host;
  private final Run run = new Run();
  private int addressHigh;
  private int addressLow;
  private boolean armed;
  private boolean awaken;

  Notifier(EngineHost host) {
    this.host = host;
  }

  /** Executes one of the three methods. */
  Outcome method(int method, int data) {
    switch (method) {
      case SET_ADDRESS_HIGH -> addressHigh = data;
      case SET_ADDRESS_LOW -> addressLow = data;
      default -> {
        if (data != WRITE_ONLY && data != WRITE_AND_AWAKEN) {
          return host.engineError(DataError.INVALID_ENUM, method);
        }
        awaken = data == WRITE_AND_AWAKEN;
        armed = true;
      }
    }
    return Outcome.DONE;
  }

  /** Called after every other method of the object that was executed. */
  Outcome triggerIfArmed() {
    if (!armed) {
      return Outcome.DONE;
    }
    armed = false;
    long address = Integer.toUnsignedLong(addressHigh) << 32 | Integer.toUnsignedLong(addressLow);
    if ((address & (RECORD_BYTES - 1)) != 0) {
      return host.engineError(DataError.ALIGNMENT, NOTIFY);
    }
    FaultReason reason = host.translate(address, RECORD_BYTES, true, run);
    if (reason != FaultReason.NONE) {
      return host.pageFault(reason, true, GpuUnit.PGRAPH, address);
    }
    run.segment().set(LONG, run.offset(), host.timeNs());
    run.segment().set(INT, run.offset() + 8, 0);
    INT_ACCESS.setRelease(run.segment(), run.offset() + 12, 0);
    if (awaken) {
      host.interrupt();
    }
    return Outcome.DONE;
  }

  void save(ByteBuffer to) {
    to.putInt(addressHigh).putInt(addressLow).putInt((armed ? 1 : 0) | (awaken ? 2 : 0));
  }

  void restore(ByteBuffer from) {
    addressHigh = from.getInt();
    addressLow = from.getInt();
    int flags = from.getInt();
    armed = (flags & 1) != 0;
    awaken = (flags & 2) != 0;
  }
}
