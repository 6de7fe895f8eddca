package io.sluice.gpu.engine;

import io.sluice.gpu.layout.BlockLinear;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The memory-to-memory class 0x9039 (cl9039.h): copies lines between pitched images, or takes them
 * inline from the pushbuffer.
 *
 * <p>Either image may be block-linear ({@link BlockLinear}). Each inline line is padded to whole
 * words. An inline copy to a block-linear image goes by the registers as they are when each word
 * comes.
 */
public final class M2mf implements Engine {
  /** The class. */
  public static final int CLASS = 0x9039;

  private static final int NOP = 0x100;
  private static final int WAIT_FOR_IDLE = 0x110;
  private static final int PM_TRIGGER = 0x140;
  private static final int LAUNCH = 0x300;
  private static final int LOAD_INLINE_DATA = 0x304;
  private static final int OFFSET_OUT_HIGH = 0x238;
  private static final int OFFSET_IN_HIGH = 0x30c;
  private static final int PITCH_IN = 0x314;
  private static final int PITCH_OUT = 0x318;
  private static final int LINE_LENGTH_IN = 0x31c;
  private static final int LINE_COUNT = 0x320;
  private static final int SEMAPHORE_HIGH = 0x32c;
  private static final int SEMAPHORE_PAYLOAD = 0x334;
  private static final int BLOCK_SIZE_IN = 0x204;
  private static final int BLOCK_SIZE_OUT = 0x220;
  private static final int WIDTH = 4; // from a block size; height, depth and layer follow
  private static final int HEIGHT = 8;
  private static final int LAYER = 0x10;
  private static final int ORIGIN_IN_X = 0x344;
  private static final int ORIGIN_OUT_X = 0x34c;
  private static final int FIRST_REGISTER = 0x204;
  private static final int LAST_REGISTER = 0x350;

  private static final int LAUNCH_SOURCE_INLINE = 1;
  private static final int LAUNCH_SOURCE_PITCH = 1 << 4;
  private static final int LAUNCH_TARGET_PITCH = 1 << 8;
  private static final int LAUNCH_ONE_WORD = 1 << 20;
  private static final int COMPLETION_RELEASE = 2;
  private static final int COMPLETION_INVALID = 3;
  private static final int INTERRUPT_INVALID = 2;

  private enum Activity {
    IDLE,
    COPY,
    INLINE
  }

  private final EngineHost host;
  private final Notifier notifier;
  private final LineCopy copy;
  private final MethodRegisters registers = new MethodRegisters(FIRST_REGISTER, LAST_REGISTER);
  private final Run run = new Run();
  private Activity activity = Activity.IDLE;
  private int launch;
  private long inlineTarget;
  private long inlinePitch;
  private long inlineLineBytes;
  private long inlineLinesLeft;
  private long inlineDone;

  /**
   * @param host the channel
   */
  public M2mf(EngineHost host) {
    this.host = host;
    this.notifier = new Notifier(host);
    this.copy = new LineCopy(host, GpuUnit.PGRAPH);
  }

  @Override
  public Outcome method(int method, int data) {
    switch (method) {
      case Notifier.SET_ADDRESS_HIGH, Notifier.SET_ADDRESS_LOW, Notifier.NOTIFY -> {
        return notifier.method(method, data);
      }
      case LAUNCH -> {
        return then(launch(data));
      }
      case LOAD_INLINE_DATA -> {
        return then(inlineData(data));
      }
      case NOP, WAIT_FOR_IDLE, PM_TRIGGER -> {
        return notifier.triggerIfArmed();
      }
      default -> {
        if (!isRegister(method)) {
          return host.illegalMethod(method, data);
        }
        registers.set(method, data);
        return notifier.triggerIfArmed();
      }
    }
  }

  @Override
  public Outcome resume() {
    return then(runCopy());
  }

  /** The fields of cl9039.h that are plain state. */
  private static boolean isRegister(int method) {
    return (method >= 0x204 && method <= 0x214)
        || (method >= 0x220 && method <= 0x230)
        || (method >= OFFSET_OUT_HIGH && method <= OFFSET_OUT_HIGH + 4)
        || (method >= OFFSET_IN_HIGH && method <= LINE_COUNT)
        || (method >= SEMAPHORE_HIGH && method <= 0x340)
        || (method >= 0x344 && method <= LAST_REGISTER);
  }

  private Outcome then(Outcome outcome) {
    return outcome == Outcome.DONE ? notifier.triggerIfArmed() : outcome;
  }

  private Outcome launch(int data) {
    if (activity != Activity.IDLE) {
      return host.engineError(DataError.INVALID_VALUE, LAUNCH);
    }
    int completion = data >>> 12 & 3;
    int interrupt = data >>> 16 & 3;
    if (completion == COMPLETION_INVALID || interrupt >= INTERRUPT_INVALID) {
      return host.engineError(DataError.INVALID_ENUM, LAUNCH);
    }
    boolean inline = (data & LAUNCH_SOURCE_INLINE) != 0;
    if (sourceIsTiled(data) && !BlockLinear.isBlockSize(registers.get(BLOCK_SIZE_IN))) {
      return host.engineError(DataError.INVALID_ENUM, BLOCK_SIZE_IN);
    }
    if (targetIsTiled(data) && !BlockLinear.isBlockSize(registers.get(BLOCK_SIZE_OUT))) {
      return host.engineError(DataError.INVALID_ENUM, BLOCK_SIZE_OUT);
    }
    if (sourceIsTiled(data) && !isGobAligned(OFFSET_IN_HIGH)
        || targetIsTiled(data) && !isGobAligned(OFFSET_OUT_HIGH)) {
      return host.engineError(DataError.ALIGNMENT, LAUNCH);
    }
    launch = data;
    if (inline) {
      return startInline();
    }
    layOut();
    activity = Activity.COPY;
    copy.start(
        registers.address(OFFSET_IN_HIGH),
        registers.address(OFFSET_OUT_HIGH),
        registers.get(PITCH_IN),
        registers.get(PITCH_OUT),
        registers.unsigned(LINE_LENGTH_IN),
        registers.unsigned(LINE_COUNT));
    return runCopy();
  }

  private static boolean sourceIsTiled(int data) {
    return (data & (LAUNCH_SOURCE_INLINE | LAUNCH_SOURCE_PITCH)) == 0;
  }

  private static boolean targetIsTiled(int data) {
    return (data & LAUNCH_TARGET_PITCH) == 0;
  }

  private boolean isGobAligned(int offsetHigh) {
    return registers.address(offsetHigh) % BlockLinear.GOB_BYTES == 0;
  }

  private void layOut() {
    copy.layOut(
        sourceIsTiled(launch) ? image(OFFSET_IN_HIGH, BLOCK_SIZE_IN, ORIGIN_IN_X) : null,
        targetIsTiled(launch) ? image(OFFSET_OUT_HIGH, BLOCK_SIZE_OUT, ORIGIN_OUT_X) : null);
  }

  private BlockLinear image(int offsetHigh, int blockSize, int originX) {
    int block = registers.get(blockSize);
    return new BlockLinear(
        registers.address(offsetHigh),
        block >>> 4 & 0xf,
        block >>> 8 & 0xf,
        registers.unsigned(blockSize + WIDTH),
        registers.unsigned(blockSize + HEIGHT),
        registers.unsigned(blockSize + LAYER),
        registers.unsigned(originX),
        registers.unsigned(originX + 4));
  }

  private Outcome runCopy() {
    Outcome outcome = copy.run();
    return outcome == Outcome.DONE ? complete() : outcome;
  }

  private Outcome startInline() {
    inlineTarget = registers.address(OFFSET_OUT_HIGH);
    inlinePitch = registers.get(PITCH_OUT);
    inlineLineBytes = registers.unsigned(LINE_LENGTH_IN);
    inlineLinesLeft = inlineLineBytes == 0 ? 0 : inlineLines();
    inlineDone = 0;
    if (inlineLinesLeft == 0) {
      return complete();
    }
    activity = Activity.INLINE;
    return Outcome.DONE;
  }

  private Outcome inlineData(int data) {
    if (activity != Activity.INLINE) {
      return host.engineError(DataError.INVALID_VALUE, LOAD_INLINE_DATA);
    }
    int bytes = (int) Math.min(4, inlineLineBytes - inlineDone);
    int word = data;
    BlockLinear image =
        targetIsTiled(launch) ? image(OFFSET_OUT_HIGH, BLOCK_SIZE_OUT, ORIGIN_OUT_X) : null;
    for (int i = 0; i < bytes; ) {
      long at = inlineDone + i;
      long address =
          image == null ? inlineTarget + at : image.addressOf(inlineLines() - inlineLinesLeft, at);
      long wanted = image == null ? bytes - i : Math.min(bytes - i, image.contiguousBytes(at));
      FaultReason reason = host.translate(address, wanted, true, run);
      if (reason != FaultReason.NONE) {
        return host.pageFault(reason, true, GpuUnit.PGRAPH, address);
      }
      for (int j = 0; j < run.length(); j++, i++, word >>>= 8) {
        run.segment().set(ValueLayout.JAVA_BYTE, run.offset() + j, (byte) word);
      }
    }
    inlineDone += bytes;
    if (inlineDone == inlineLineBytes) {
      inlineDone = 0;
      inlineTarget += inlinePitch;
      inlineLinesLeft--;
    }
    return inlineLinesLeft == 0 ? complete() : Outcome.DONE;
  }

  private long inlineLines() {
    return registers.unsigned(LINE_COUNT);
  }

  private Outcome complete() {
    activity = Activity.IDLE;
    if ((launch >>> 12 & 3) == COMPLETION_RELEASE) {
      boolean oneWord = (launch & LAUNCH_ONE_WORD) != 0;
      long address = registers.address(SEMAPHORE_HIGH);
      if (!SemaphoreRelease.isAligned(address, oneWord)) {
        return host.engineError(DataError.ALIGNMENT, LAUNCH);
      }
      FaultReason reason =
          SemaphoreRelease.write(host, address, registers.get(SEMAPHORE_PAYLOAD), oneWord, run);
      if (reason != FaultReason.NONE) {
        return host.pageFault(reason, true, GpuUnit.PGRAPH, address);
      }
    }
    if ((launch >>> 16 & 3) == 1) {
      host.interrupt();
    }
    return Outcome.DONE;
  }

  @Override
  public void save(ByteBuffer to) {
    to.putInt(activity.ordinal()).putInt(launch);
    to.putLong(inlineTarget).putLong(inlinePitch).putLong(inlineLineBytes);
    to.putLong(inlineLinesLeft).putLong(inlineDone);
    notifier.save(to);
    copy.save(to);
    registers.save(to);
  }

  @Override
  public void restore(ByteBuffer from) {
    int code = from.getInt();
    if (code < 0 || code >= Activity.values().length) {
      throw new IllegalArgumentException("no such activity of M2MF, code=" + code);
    }
    activity = Activity.values()[code];
    launch = from.getInt();
    inlineTarget = from.getLong();
    inlinePitch = from.getLong();
    inlineLineBytes = from.getLong();
    inlineLinesLeft = from.getLong();
    inlineDone = from.getLong();
    if (activity == Activity.INLINE
        && (inlineLinesLeft <= 0 || inlineDone < 0 || inlineDone >= inlineLineBytes)) {
      throw new IllegalArgumentException("inline progress out of range, done=" + inlineDone);
    }
    notifier.restore(from);
    copy.restore(from);
    registers.restore(from);
    layOut();
  }
}
