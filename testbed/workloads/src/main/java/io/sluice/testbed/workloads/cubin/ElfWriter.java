package io.sluice.testbed.workloads.cubin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Writes a 64-bit little-endian ELF file of sections, without segments. */
final class ElfWriter {
  private static final int HEADER_BYTES = 64;
  private static final int SECTION_HEADER_BYTES = 64;
  private static final int OSABI_CUDA = 0x33;
  private static final int ABI_VERSION = 2;
  private static final short ET_EXEC = 2;
  private static final short EM_CUDA = 190;
  private static final int SM_20 = 0x00140014;

  private final List<ElfSection> sections = new ArrayList<>();

  /** Adds a section; gives its index. */
  int add(ElfSection section) {
    sections.add(section);
    return sections.size();
  }

  /** The file; the names of sections are its last section. */
  byte[] write() {
    StringTable names = new StringTable();
    List<Integer> nameOffsets = new ArrayList<>();
    List<ElfSection> all = new ArrayList<>(sections);
    for (ElfSection section : sections) {
      nameOffsets.add(names.add(section.name()));
    }
    nameOffsets.add(names.add(".shstrtab"));
    all.add(ElfSection.of(".shstrtab", ElfSection.STRTAB, 0, 1, names.bytes()));
    long[] offsets = new long[all.size()];
    long end = HEADER_BYTES;
    for (int i = 0; i < all.size(); i++) {
      end = alignUp(end, all.get(i).alignment());
      offsets[i] = end;
      end += all.get(i).bytes().length;
    }
    long table = alignUp(end, Long.BYTES);
    int count = all.size() + 1;
    int size = Math.toIntExact(table + (long) count * SECTION_HEADER_BYTES);
    ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    header(file, table, count);
    for (int i = 0; i < all.size(); i++) {
      file.put((int) offsets[i], all.get(i).bytes());
    }
    file.position((int) table + SECTION_HEADER_BYTES);
    for (int i = 0; i < all.size(); i++) {
      sectionHeader(file, all.get(i), nameOffsets.get(i), offsets[i]);
    }
    return file.array();
  }

  private static void header(ByteBuffer file, long table, int count) {
    file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, OSABI_CUDA, ABI_VERSION});
    file.position(16);
    file.putShort(ET_EXEC).putShort(EM_CUDA).putInt(1);
    file.putLong(0).putLong(0).putLong(table);
    file.putInt(SM_20).putShort((short) HEADER_BYTES);
    file.putShort((short) 0).putShort((short) 0);
    file.putShort((short) SECTION_HEADER_BYTES).putShort((short) count);
    file.putShort((short) (count - 1));
  }

  private static void sectionHeader(ByteBuffer file, ElfSection section, int name, long offset) {
    file.putInt(name).putInt(section.type()).putLong(section.flags()).putLong(0);
    file.putLong(offset).putLong(section.sizeBytes());
    file.putInt(section.link()).putInt(section.info());
    file.putLong(section.alignment()).putLong(section.entryBytes());
  }

  private static long alignUp(long value, int alignment) {
    return (value + alignment - 1) & -alignment;
  }
}
