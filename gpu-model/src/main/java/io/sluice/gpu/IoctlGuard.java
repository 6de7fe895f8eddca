package io.sluice.gpu;

import io.sluice.gpu.fifo.EngineGate;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The guard that an ioctl holds while it is handled. What threads ask that serve all guests does
 * not wait for an engine that one guest keeps in its memory.
 */
enum IoctlGuard {
  /** The open's events: they are read while the engine executes. */
  EVENTS,

  /** The GPU's tables, whatever the engine executes. */
  TABLES,

  /** The GPU's tables, and the engine outside of the open for as long as that lasts. */
  CHANNELS,

  /** The same, but when the engine is held up there, it is looked past. */
  LOOK;

  /** As long as a slice may take. */
  private static final long PATIENCE_NS = 3_000_000;

  ReentrantLock lockOf(GpuFile file) {
    return this == EVENTS ? file.eventLock : file.card().lock();
  }

  /** The lock is held: waits for the rest. */
  void await(GpuFile file) {
    EngineGate gate = file.gate;
    switch (this) {
      case EVENTS, TABLES -> {}
      case CHANNELS -> gate.awaitOutside();
      case LOOK -> gate.awaitOutside(PATIENCE_NS);
    }
  }
}
