package io.sluice.testbed.workloads.cubin;

/**
 * A section of an ELF file.
 *
 * @param name its name
 * @param type SHT_*
 * @param flags SHF_*; of code also the number of barriers
 * @param link index of the section it refers to
 * @param info what the type says; of code the number of registers and the symbol
 * @param alignment of its bytes in memory
 * @param entryBytes size of an entry of a table, otherwise 0
 * @param bytes its content; null for one that has none in the file
 * @param sizeBytes how large it is
 */
@SuppressWarnings("ArrayRecordComponent") // Written to the file as a whole.
record ElfSection(
    String name,
    int type,
    long flags,
    int link,
    int info,
    int alignment,
    int entryBytes,
    byte[] bytes,
    long sizeBytes) {
  static final int PROGBITS = 1;
  static final int SYMTAB = 2;
  static final int STRTAB = 3;
  static final int NOBITS = 8;

  /** Sections of NVIDIA's: SHT_CUDA_INFO. */
  static final int CUDA_INFO = 0x70000000;

  static final long WRITE = 1;
  static final long ALLOC = 2;
  static final long EXECINSTR = 4;

  /** One with content. */
  static ElfSection of(String name, int type, long flags, int alignment, byte[] bytes) {
    return new ElfSection(name, type, flags, 0, 0, alignment, 0, bytes, bytes.length);
  }
}
