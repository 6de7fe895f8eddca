package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.EngineHost;
import io.sluice.gpu.engine.Outcome;

/**
 * The methods that the host executes itself, whatever the subchannel: those below 0x100 of class
 * 906f, cl906f.h. Caches are coherent here, so the flushes among them have nothing to do.
 */
final class HostMethods {
  private static final int SET_OBJECT = 0x00;
  private static final int NOP = 0x08;
  private static final int NON_STALL_INTERRUPT = 0x20;
  private static final int FB_FLUSH = 0x24;
  private static final int MEM_OP_A = 0x28;
  private static final int MEM_OP_B = 0x2c;
  private static final int SET_REFERENCE = 0x50;
  private static final int CRC_CHECK = 0x7c;
  private static final int YIELD = 0x80;

  private final EngineHost host;
  private final Subchannels subchannels;
  private final HostSemaphore semaphore;
  private final Userd userd;
  private int reference;

  HostMethods(EngineHost host, Subchannels subchannels, HostSemaphore semaphore, Userd userd) {
    this.host = host;
    this.subchannels = subchannels;
    this.semaphore = semaphore;
    this.userd = userd;
  }

  /** Executes one. */
  Outcome method(int subchannel, int method, int data) {
    switch (method) {
      case SET_OBJECT -> {
        return bind(subchannel, data);
      }
      case NOP, FB_FLUSH, MEM_OP_A, MEM_OP_B, CRC_CHECK -> {
        return Outcome.DONE;
      }
      case NON_STALL_INTERRUPT -> {
        host.interrupt();
        return Outcome.DONE;
      }
      case SET_REFERENCE -> {
        reference = data;
        publishReference();
        return Outcome.DONE;
      }
      case YIELD -> {
        return Outcome.YIELD;
      }
      default -> {
        if (method >= HostSemaphore.A && method <= HostSemaphore.D) {
          return semaphore.method(method, data);
        }
        return host.illegalMethod(method, data);
      }
    }
  }

  private Outcome bind(int subchannel, int word) {
    return switch (subchannels.bind(subchannel, word)) {
      case BOUND -> Outcome.DONE;
      case ILLEGAL -> host.illegalMethod(SET_OBJECT, word);
      case UNSUPPORTED -> host.unsupported(SET_OBJECT, word);
    };
  }

  /** The word that SET_REFERENCE set last. */
  int reference() {
    return reference;
  }

  /** Sets it as saved state has it. */
  void restoreReference(int saved) {
    reference = saved;
  }

  /** Shows it on the control page. */
  void publishReference() {
    userd.publishReference(reference);
  }
}
