package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Outcome;
import java.nio.ByteBuffer;

/**
 * The decoder of pushbuffer words (cl906f.h, "DMA"). A command and its data may straddle ring
 * entries, so the position in a command is state of the channel.
 *
 * <pre>
 *  header:  31..29 SEC_OP   28..16 count or 13-bit data   15..13 subchannel   11..0 method / 4
 *           1 INCR   3 NON-INCR   4 IMMEDIATE   5 ONE-INC   7 END_PB_SEGMENT
 *           0 and 2: bits 17..16 are a tertiary op: 0 old-style INCR / NON-INCR
 *             (28..18 count, 12..2 method), of SEC_OP 0 also 1 set, 2 store, 3 use the
 *             subdevice mask (15..4)
 * </pre>
 *
 * <p>This GPU is subdevice 0: methods are skipped while bit 0 of the mask is clear.
 */
final class Decoder {
  private static final int KIND_INCREASING = 0;
  private static final int KIND_CONSTANT = 1;
  private static final int KIND_ONCE_INCREASING = 2;

  private static final int ALL_SUBDEVICES = 0xfff;
  private static final int THIS_SUBDEVICE = 1;
  private static final int METHOD_FIELD = 0x3ffc;
  private static final int OLD_METHOD_FIELD = 0x1ffc;
  private static final int MAX_COUNT = 0x1fff;

  private final PushbufferSink sink;
  private int kind;
  private int remaining;
  private int method;
  private int subchannel;
  private int subdeviceMask = ALL_SUBDEVICES;
  private int storedMask = ALL_SUBDEVICES;

  Decoder(PushbufferSink sink) {
    this.sink = sink;
  }

  /** Whether a command waits for more data words. */
  boolean isInsideCommand() {
    return remaining > 0;
  }

  /** Takes the next word. */
  Outcome word(int word) {
    return remaining > 0 ? data(word) : header(word);
  }

  private Outcome data(int word) {
    int current = method;
    remaining--;
    if (kind != KIND_CONSTANT) {
      method = method + 4 & METHOD_FIELD;
      if (kind == KIND_ONCE_INCREASING) {
        kind = KIND_CONSTANT;
      }
    }
    return dispatch(current, word);
  }

  private Outcome dispatch(int target, int word) {
    if ((subdeviceMask & THIS_SUBDEVICE) == 0) {
      return Outcome.DONE;
    }
    return sink.method(subchannel, target, word);
  }

  private Outcome header(int word) {
    return switch (word >>> 29) {
      case 0 -> tertiary(word);
      case 1 -> command(word, KIND_INCREASING);
      case 2 -> (word >>> 16 & 3) == 0 ? oldCommand(word, KIND_CONSTANT) : sink.illegalWord(word);
      case 3 -> command(word, KIND_CONSTANT);
      case 4 -> {
        subchannel = word >>> 13 & 7;
        yield dispatch((word & 0xfff) << 2, word >>> 16 & 0x1fff);
      }
      case 5 -> command(word, KIND_ONCE_INCREASING);
      case 7 -> sink.endSegment();
      default -> sink.illegalWord(word);
    };
  }

  private Outcome command(int word, int newKind) {
    kind = newKind;
    remaining = word >>> 16 & MAX_COUNT;
    subchannel = word >>> 13 & 7;
    method = (word & 0xfff) << 2;
    return Outcome.DONE;
  }

  private Outcome oldCommand(int word, int newKind) {
    kind = newKind;
    remaining = word >>> 18 & 0x7ff;
    subchannel = word >>> 13 & 7;
    method = word & OLD_METHOD_FIELD;
    return Outcome.DONE;
  }

  private Outcome tertiary(int word) {
    int mask = word >>> 4 & ALL_SUBDEVICES;
    switch (word >>> 16 & 3) {
      case 0 -> {
        return oldCommand(word, KIND_INCREASING);
      }
      case 1 -> subdeviceMask = mask;
      case 2 -> storedMask = mask;
      default -> subdeviceMask = storedMask;
    }
    return Outcome.DONE;
  }

  void save(ByteBuffer to) {
    to.putInt(kind).putInt(remaining).putInt(method).putInt(subchannel);
    to.putInt(subdeviceMask).putInt(storedMask);
  }

  void restore(ByteBuffer from) {
    kind = from.getInt();
    remaining = from.getInt();
    method = from.getInt();
    subchannel = from.getInt();
    subdeviceMask = from.getInt();
    storedMask = from.getInt();
    boolean valid =
        kind >= KIND_INCREASING
            && kind <= KIND_ONCE_INCREASING
            && remaining >= 0
            && remaining <= MAX_COUNT
            && (method & ~METHOD_FIELD) == 0
            && subchannel >= 0
            && subchannel < 8;
    if (!valid) {
      throw new IllegalArgumentException("decoder state out of range, remaining=" + remaining);
    }
  }
}
