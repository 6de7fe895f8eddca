package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.channel.guest.GuestRestore;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.Snapshot;
import io.sluice.channel.record.StateRecord;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The guest's state on its way: its records, the guest's halves of control pages, the virtual
 * device. STATE carries {@code u32 kind} and bytes; what is longer than a frame is continued by the
 * next one of its kind. RESTORE closes them: {@code u32 passes, u32 CRC32C of all STATE payloads,
 * u64 their bytes}.
 */
final class StateFrames {
  static final int RECORDS = 1;
  static final int CONTROL_PAGE = 2;
  static final int DEVICE = 3;

  /** Most bytes of state: more is no guest's. */
  static final long MAX_BYTES = 64L << 20;

  private static final int CHUNK_BYTES = 256 << 10;

  private StateFrames() {}

  /** The source's end, which makes the frames. */
  static final class Writer {
    private final List<Frame> frames = new ArrayList<>();
    private final CRC32C crc = new CRC32C();
    private long bytes;

    void records(byte[] snapshot) {
      for (int at = 0; at < snapshot.length; at += CHUNK_BYTES) {
        int length = Math.min(CHUNK_BYTES, snapshot.length - at);
        add(new FieldWriter().bits(RECORDS).raw(ByteBuffer.wrap(snapshot, at, length)));
      }
    }

    void controlPage(int channelId, ByteBuffer words) {
      add(new FieldWriter().bits(CONTROL_PAGE).bits(channelId).raw(words));
    }

    void device(ByteBuffer part) {
      add(new FieldWriter().bits(DEVICE).raw(part));
    }

    private void add(FieldWriter fields) {
      Frame frame = Payload.frame(FrameType.STATE, fields);
      crc.update(frame.reader());
      bytes += frame.payload().remaining();
      frames.add(frame);
    }

    /** All of them, RESTORE last. */
    List<Frame> finish(int passes) {
      frames.add(
          Payload.frame(
              FrameType.RESTORE,
              new FieldWriter().bits(passes).bits((int) crc.getValue()).u64(bytes)));
      return frames;
    }
  }

  /** A control page's words as they came. */
  record ControlPageWords(int channelId, ByteBuffer words) {}

  /** The destination's end, which takes them in. */
  static final class Reader {
    private final ByteArrayOutputStream records = new ByteArrayOutputStream();
    private final List<ControlPageWords> controlPages = new ArrayList<>();
    private final List<ByteBuffer> device = new ArrayList<>();
    private final CRC32C crc = new CRC32C();
    private long bytes;
    private int passes = -1;

    void state(Frame frame) {
      FieldReader in = Payload.reader(frame);
      bytes += frame.payload().remaining();
      in.require(bytes <= MAX_BYTES && passes < 0, "is more state than there can be");
      crc.update(frame.reader());
      switch (in.bits()) {
        case RECORDS -> {
          ByteBuffer rest = in.rest();
          byte[] copy = new byte[rest.remaining()];
          rest.get(copy);
          records.writeBytes(copy);
        }
        case CONTROL_PAGE -> {
          int channelId = in.bits();
          ByteBuffer words = in.rest();
          in.require(words.remaining() == ControlWordsCopy.BYTES, "is no control page");
          controlPages.add(new ControlPageWords(channelId, words));
        }
        case DEVICE -> device.add(in.rest());
        default -> in.require(false, "is state of no known kind");
      }
    }

    void restore(Frame frame) {
      FieldReader in = Payload.reader(frame);
      int count = in.bits();
      int sum = in.bits();
      long length = in.u64();
      in.end();
      in.require(count >= 0 && passes < 0, "closes the state twice");
      in.require(sum == (int) crc.getValue() && length == bytes, "does not match the state");
      passes = count;
    }

    boolean isComplete() {
      return passes >= 0;
    }

    /** Passes over video memory that must have arrived. */
    int passes() {
      return passes;
    }

    ByteBuffer records() {
      return ByteBuffer.wrap(records.toByteArray());
    }

    List<ControlPageWords> controlPages() {
      return controlPages;
    }

    /**
     * Makes a guest what came: its records, then the guest's halves of its control pages.
     *
     * @param begun on that guest
     * @throws RefusedException when they do not fit together, or not here
     */
    void finish(GuestRestore begun, MappedGuest guest) {
      begun.finish(renamed(Snapshot.read(records()), guest.guest().name()));
      List<Integer> channels = guest.guest().channels().ids();
      for (ControlPageWords page : controlPages) {
        if (!channels.contains(page.channelId())) {
          throw new RefusedException(
              MigrationCode.STRAY_PAGE,
              Errno.EPROTO,
              "a control page of no channel, cid=" + page.channelId(),
              "");
        }
        ControlWordsCopy.put(page.words(), guest.control(), page.channelId());
      }
    }

    /** A clone has another name than what it was made from. */
    private static List<StateRecord> renamed(List<StateRecord> records, String name) {
      return records.stream()
          .map(record ->
              record instanceof GuestRecord was
                  ? new GuestRecord(name, was.generation(), was.vramLimitBytes(), was.chipset())
                  : record)
          .toList();
    }

    List<ByteBuffer> device() {
      return device;
    }
  }
}
