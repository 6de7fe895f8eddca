package io.sluice.testbed.workloads.cubin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** The writer of a little-endian ELF file of sections, without segments, of 32 or 64 bits. */
final class ElfWriter {
  private static final int OSABI_CUDA = 0x33;
  private static final int ABI_VERSION = 2;
  private static final short ET_EXEC = 2;
  private static final short EM_CUDA = 190;
  private static final int SM_20 = 0x00140014;

  private final boolean wide;
  private final int headerBytes;
  private final int sectionHeaderBytes;
  private final List<ElfSection> sections = new ArrayList<>();

  /**
   * @param wide of 64 bits
   */
  ElfWriter(boolean wide) {
    this.wide = wide;
    this.headerBytes = wide ? 64 : 52;
    this.sectionHeaderBytes = wide ? 64 : 40;
  }

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
    long end = headerBytes;
    for (int i = 0; i < all.size(); i++) {
      end = alignUp(end, all.get(i).alignment());
      offsets[i] = end;
      end += all.get(i).bytes().length;
    }
    long table = alignUp(end, Long.BYTES);
    int count = all.size() + 1;
    int size = Math.toIntExact(table + (long) count * sectionHeaderBytes);
    ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    header(file, table, count);
    for (int i = 0; i < all.size(); i++) {
      file.put((int) offsets[i], all.get(i).bytes());
    }
    file.position((int) table + sectionHeaderBytes);
    for (int i = 0; i < all.size(); i++) {
      sectionHeader(file, all.get(i), nameOffsets.get(i), offsets[i]);
    }
    return file.array();
  }

  private void header(ByteBuffer file, long table, int count) {
    byte width = (byte) (wide ? 2 : 1);
    file.put(new byte[] {0x7f, 'E', 'L', 'F', width, 1, 1, OSABI_CUDA, ABI_VERSION});
    file.position(16);
    file.putShort(ET_EXEC).putShort(EM_CUDA).putInt(1);
    address(file, 0);
    address(file, 0);
    address(file, table);
    file.putInt(SM_20).putShort((short) headerBytes);
    file.putShort((short) 0).putShort((short) 0);
    file.putShort((short) sectionHeaderBytes).putShort((short) count);
    file.putShort((short) (count - 1));
  }

  private void sectionHeader(ByteBuffer file, ElfSection section, int name, long offset) {
    file.putInt(name).putInt(section.type());
    address(file, section.flags());
    address(file, 0);
    address(file, offset);
    address(file, section.sizeBytes());
    file.putInt(section.link()).putInt(section.info());
    address(file, section.alignment());
    address(file, section.entryBytes());
  }

  private void address(ByteBuffer file, long value) {
    if (wide) {
      file.putLong(value);
    } else {
      file.putInt((int) value);
    }
  }

  private static long alignUp(long value, int alignment) {
    return (value + alignment - 1) & -alignment;
  }
}
