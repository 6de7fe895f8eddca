package io.sluice.channel.record;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A guest's whole state as bytes: its records' sections, the end last. */
public final class Snapshot {
  /** Most records: every table of a guest full, and some. */
  public static final int MAX_RECORDS = 1 << 20;

  private Snapshot() {}

  /** The records as sections, with an end. */
  public static byte[] write(List<? extends StateRecord> records) {
    List<Section> sections = new ArrayList<>(records.size() + 1);
    long bytes = 0;
    for (StateRecord record : records) {
      Section section = RecordCodec.encode(record);
      sections.add(section);
      bytes += section.sizeBytes();
    }
    Section end = RecordCodec.encode(new EndRecord(records.size()));
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(bytes + end.sizeBytes()));
    sections.forEach(section -> section.write(out));
    end.write(out);
    return out.array();
  }

  /**
   * The records of bytes that may come from anywhere.
   *
   * @throws io.sluice.abi.RefusedException when anything is missing, damaged, unknown or too much
   */
  public static List<StateRecord> read(ByteBuffer from) {
    List<StateRecord> records = new ArrayList<>();
    while (true) {
      if (!from.hasRemaining()) {
        throw SectionHeader.refused(
            RecordCode.NO_END, "a snapshot has no end, records=" + records.size());
      }
      StateRecord record = RecordCodec.decode(Section.read(from));
      if (record instanceof EndRecord(long expected)) {
        Check.check(expected == records.size(), "a snapshot has all its records");
        Check.check(!from.hasRemaining(), "nothing follows the end");
        return records;
      }
      Check.check(records.size() < MAX_RECORDS, "a snapshot has at most its records");
      records.add(record);
    }
  }
}
