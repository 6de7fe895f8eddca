package io.sluice.testbed.workloads.cubin;

import io.sluice.testbed.workloads.asm.Kernel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A cubin put together section by section, as compilers make them that link: with variables,
 * functions that kernels call, and relocations; of 32 or 64 bits. {@link Cubin} writes kernels
 * alone.
 */
public final class CubinFile {
  /** Type of a symbol that names a variable. */
  public static final int OBJECT = 1;

  /** Type of a symbol that names a function. */
  public static final int FUNCTION = 2;

  /** Type of a symbol that names a texture. */
  public static final int TEXTURE = 10;

  /** Type of a symbol that names a sampler without a texture. */
  public static final int SAMPLER = 11;

  /** Type of a symbol that names a surface. */
  public static final int SURFACE = 12;

  private static final int GLOBAL_BINDING = 1 << 4;
  private static final int STRTAB_INDEX = 1;
  private static final int SYMTAB_INDEX = 2;
  private static final int REL = 9;
  private static final int RELA = 4;
  private static final int MAX_REGISTERS = 63;

  private final boolean wide;
  private final StringTable strings = new StringTable();
  private final List<byte[]> symbols = new ArrayList<>();
  private final List<ElfSection> sections = new ArrayList<>();

  /**
   * @param wide of 64 bits
   */
  public CubinFile(boolean wide) {
    this.wide = wide;
    symbols.add(new byte[wide ? 24 : 16]);
  }

  /**
   * A relocation.
   *
   * @param offset of the word in its section
   * @param type R_CUDA_*
   * @param symbol number of the symbol whose address is put there
   * @param addend added to it
   */
  public record Relocation(long offset, int type, int symbol, long addend) {}

  /**
   * The place of a texture or surface that a kernel uses.
   *
   * @param symbol number of its symbol
   * @param slot where the kernel's instructions look for it
   */
  public record Slot(int symbol, int slot) {}

  /** Adds the code of a kernel, or of a function that kernels call; gives the section's index. */
  public int addCode(String name, List<Long> words, int barriers) {
    ByteBuffer code = buffer(8 * words.size());
    words.forEach(code::putLong);
    long flags = ElfSection.ALLOC | ElfSection.EXECINSTR | (long) barriers << 20;
    int info = MAX_REGISTERS << 24;
    String section = ".text." + name;
    return add(
        new ElfSection(
            section,
            ElfSection.PROGBITS,
            flags,
            SYMTAB_INDEX,
            info,
            64,
            0,
            code.array(),
            code.capacity()));
  }

  /** Adds a kernel with its parameters, and a symbol for it; gives its section's index. */
  public int addKernel(Kernel kernel, Slot... slots) {
    int text = addCode(kernel.name(), kernel.words(), kernel.barriers());
    int symbol = addSymbol(kernel.name(), FUNCTION, text, 0, 8L * kernel.words().size());
    InfoRecords records = new InfoRecords();
    for (Slot slot : slots) {
      records.add(InfoRecords.IMAGE_SLOT, slot.symbol, slot.slot);
    }
    records.add(
        InfoRecords.PARAM_CBANK, symbol, kernel.parameterBytes() << 16 | Kernel.PARAMETER_BASE);
    for (int i = 0; i < kernel.parameters().size(); i++) {
      Kernel.Parameter parameter = kernel.parameters().get(i);
      int offset = parameter.offset() - Kernel.PARAMETER_BASE;
      records.add(InfoRecords.KPARAM_INFO, 0, offset << 16 | i, parameter.bytes() << 18);
    }
    addInfo(".nv.info." + kernel.name(), records);
    return text;
  }

  /** Adds records of .nv.info, linked to no table of symbols, as older compilers do. */
  int addInfo(String name, InfoRecords records) {
    byte[] bytes = records.bytes();
    return add(new ElfSection(name, ElfSection.CUDA_INFO, 0, 0, 0, 1, 0, bytes, bytes.length));
  }

  /** Adds a section of bytes. */
  public int addBytes(String name, byte[] bytes, int alignment) {
    return add(
        new ElfSection(
            name, ElfSection.PROGBITS, ElfSection.ALLOC, 0, 0, alignment, 0, bytes, bytes.length));
  }

  /** Adds a section of zeros that are not in the file. */
  public int addZeros(String name, long size, int alignment) {
    return add(
        new ElfSection(
            name, ElfSection.NOBITS, ElfSection.ALLOC, 0, 0, alignment, 0, new byte[0], size));
  }

  /** Adds the symbol of a texture, surface or sampler, which is in no section; gives its number. */
  public int addImage(String name, int type) {
    return addSymbol(name, type, 0, 0, 0);
  }

  /** Adds a symbol; gives its number. */
  public int addSymbol(String name, int type, int section, long value, long size) {
    ByteBuffer symbol = buffer(wide ? 24 : 16);
    symbol.putInt(strings.add(name));
    byte info = (byte) (GLOBAL_BINDING | type);
    if (wide) {
      symbol.put(info).put((byte) 0).putShort((short) section).putLong(value).putLong(size);
    } else {
      symbol.putInt((int) value).putInt((int) size);
      symbol.put(info).put((byte) 0).putShort((short) section);
    }
    symbols.add(symbol.array());
    return symbols.size() - 1;
  }

  /** Adds relocations of a section whose addends are in the words themselves. */
  public int addRelocations(String name, int target, Relocation... relocations) {
    return addRelocations(REL, name, target, relocations);
  }

  /** Adds relocations of a section with their addends. */
  public int addRelocationsWithAddends(String name, int target, Relocation... relocations) {
    return addRelocations(RELA, name, target, relocations);
  }

  private int addRelocations(int type, String name, int target, Relocation... relocations) {
    int entry = (wide ? 8 : 4) * (type == RELA ? 3 : 2);
    ByteBuffer table = buffer(entry * relocations.length);
    for (Relocation r : relocations) {
      if (wide) {
        table.putLong(r.offset).putLong((long) r.symbol << 32 | r.type);
      } else {
        table.putInt((int) r.offset).putInt(r.symbol << 8 | r.type);
      }
      if (type == RELA && wide) {
        table.putLong(r.addend);
      } else if (type == RELA) {
        table.putInt((int) r.addend);
      }
    }
    return add(
        new ElfSection(
            name, type, 0, SYMTAB_INDEX, target, 8, entry, table.array(), table.capacity()));
  }

  private int add(ElfSection section) {
    sections.add(section);
    return SYMTAB_INDEX + sections.size();
  }

  /** The file. */
  public byte[] write() {
    ByteArrayOutputStream table = new ByteArrayOutputStream();
    symbols.forEach(table::writeBytes);
    byte[] bytes = table.toByteArray();
    ElfWriter elf = new ElfWriter(wide);
    elf.add(ElfSection.of(".strtab", ElfSection.STRTAB, 0, 1, strings.bytes()));
    int entry = symbols.getFirst().length;
    elf.add(
        new ElfSection(
            ".symtab", ElfSection.SYMTAB, 0, STRTAB_INDEX, 1, 8, entry, bytes, bytes.length));
    sections.forEach(elf::add);
    return elf.write();
  }

  /**
   * A fat binary of several files.
   *
   * @param architectures the number of each: 20 for sm_20
   */
  public static byte[] fat(List<Integer> architectures, List<byte[]> files) {
    ByteArrayOutputStream entries = new ByteArrayOutputStream();
    for (int i = 0; i < files.size(); i++) {
      int padded = (files.get(i).length + 7) & -8;
      ByteBuffer entry = buffer(64 + padded);
      entry.putShort((short) 2).putShort((short) 0x101).putInt(64).putLong(padded);
      entry.position(28).putInt(architectures.get(i));
      entry.position(64).put(files.get(i));
      entries.writeBytes(entry.array());
    }
    ByteBuffer all = buffer(16 + entries.size());
    all.putInt(0xba55ed50).putShort((short) 1).putShort((short) 16).putLong(entries.size());
    return all.put(entries.toByteArray()).array();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
