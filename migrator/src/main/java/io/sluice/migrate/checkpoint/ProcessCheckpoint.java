package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.PausedMachine;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.vdevice.GuestDevice;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A process whose guest is written to a file, or made of one. What of its own memory the GPU uses
 * goes along; the process itself is its own concern: it goes on running, calls that it makes
 * meanwhile wait, and what it writes to shared memory meanwhile may or may not be in the file.
 */
public final class ProcessCheckpoint {
  private static final int CHUNK_BYTES = 256 << 10;

  private ProcessCheckpoint() {}

  /** The source's side. */
  public static SourceMachine source(GuestDevice device) {
    return new Saving(device);
  }

  /** The destination's side. */
  public static TargetMachine target(GuestDevice device) {
    return new Restoring(device);
  }

  /** It saves the guest memory that the GPU uses. */
  private static final class Saving extends PausedMachine {
    private final GuestDevice device;

    Saving(GuestDevice device) {
      this.device = device;
    }

    @Override
    protected void stop() {
      device.hold();
    }

    @Override
    protected void goOn(boolean stood) {
      if (stood) {
        device.release();
      }
    }

    @Override
    public List<ByteBuffer> save() {
      List<ByteBuffer> parts = new ArrayList<>();
      Guest guest = device.guest().orElseThrow(() -> gone(device));
      GuestMove move = guest.move();
      for (MemoryRecord record : move.buffers()) {
        if (record.registered()) {
          for (GuestMove.BusRange range : move.busRanges(record.serial(), 0, record.sizeBytes())) {
            save(range, parts);
          }
        }
      }
      return parts;
    }

    private void save(GuestMove.BusRange range, List<ByteBuffer> parts) {
      for (long at = 0; at < range.bytes(); at += CHUNK_BYTES) {
        int length = (int) Math.min(CHUNK_BYTES, range.bytes() - at);
        byte[] bytes = new byte[length];
        device
            .memory()
            .readMemory(new Iova(range.start().value() + at), MemorySegment.ofArray(bytes));
        ByteBuffer part = ByteBuffer.allocate(Long.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
        parts.add(part.putLong(range.start().value() + at).put(bytes).flip());
      }
    }
  }

  private static final class Restoring implements TargetMachine {
    private final GuestDevice device;
    private boolean held;

    Restoring(GuestDevice device) {
      this.device = device;
    }

    @Override
    public ByteBuffer prepare(ByteBuffer source) {
      device.hold();
      held = true;
      return ByteBuffer.allocate(0);
    }

    @Override
    public MachineProgress progress() {
      return MachineProgress.of(State.COMPLETED);
    }

    @Override
    public boolean restore(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        ByteBuffer in = part.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() <= Long.BYTES) {
          throw new RefusedException(
              CheckpointCode.EMPTY_RANGE,
              Errno.EPROTO,
              "the checkpoint has a range of memory without bytes",
              "");
        }
        long at = in.getLong();
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        device.memory().writeMemory(new Iova(at), MemorySegment.ofArray(bytes));
      }
      return true;
    }

    @Override
    public void resume() {
      if (held) {
        device.releaseRestored();
        held = false; // not before: it may be asked again
      }
    }

    @Override
    public void abort() {
      if (held) {
        held = false;
        device.release();
      }
    }

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }

  private static RefusedException gone(GuestDevice device) {
    return new RefusedException(
        CheckpointCode.CLIENT_LEFT,
        Errno.ENOTCONN,
        "the guest's client has left, guest=" + device.name(),
        "");
  }
}
