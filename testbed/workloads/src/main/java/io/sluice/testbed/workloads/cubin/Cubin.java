package io.sluice.testbed.workloads.cubin;

import io.sluice.testbed.workloads.asm.Kernel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A writer of kernels as a cubin.
 *
 * <p>Of each kernel F: {@code .text.F} (registers in bits 31:24 of sh_info, barriers in bits 23:20
 * of sh_flags), {@code .nv.constant0.F} (its size is that of the head of bank 0 and the
 * parameters), {@code .nv.shared.F} (its size), {@code .nv.info.F} (slots of textures, parameters,
 * call stack); of all: {@code .nv.info} (frame and stack sizes), symbols.
 */
public final class Cubin {
  private static final int SYMTAB_INDEX = 2;
  private static final int STRTAB_INDEX = 1;
  private static final int SYMBOL_BYTES = 24;
  private static final int GLOBAL = 1 << 4;
  private static final int ENTRY = 0x10;
  private static final int CODE_ALIGNMENT = 64;

  private Cubin() {}

  /** The file. */
  public static byte[] write(List<Kernel> kernels) {
    StringTable strings = new StringTable();
    List<Integer> names = new ArrayList<>();
    for (Kernel kernel : kernels) {
      names.add(strings.add(kernel.name()));
    }
    List<String> textures =
        kernels.stream()
            .flatMap(kernel -> kernel.textures().stream())
            .map(Kernel.Texture::name)
            .distinct()
            .toList();
    for (String texture : textures) {
      names.add(strings.add(texture));
    }
    ElfWriter elf = new ElfWriter(true);
    elf.add(ElfSection.of(".strtab", ElfSection.STRTAB, 0, 1, strings.bytes()));
    // Indices are known before the sections are added: strings, symbols, .nv.info, then four each.
    int firstText = SYMTAB_INDEX + 2;
    elf.add(symbols(kernels, names, firstText));
    elf.add(global(kernels));
    for (int i = 0; i < kernels.size(); i++) {
      Kernel kernel = kernels.get(i);
      InfoRecords records = new InfoRecords();
      for (Kernel.Texture texture : kernel.textures()) {
        int symbol = 1 + kernels.size() + textures.indexOf(texture.name());
        records.add(InfoRecords.IMAGE_SLOT, symbol, texture.slot());
      }
      addKernel(elf, kernel, i + 1, firstText + 4 * i, records);
    }
    return elf.write();
  }

  private static void addKernel(
      ElfWriter elf, Kernel kernel, int symbol, int text, InfoRecords records) {
    byte[] code = code(kernel);
    long flags = ElfSection.ALLOC | ElfSection.EXECINSTR | (long) kernel.barriers() << 20;
    int info = kernel.registers() << 24 | symbol;
    elf.add(
        new ElfSection(
            ".text." + kernel.name(),
            ElfSection.PROGBITS,
            flags,
            SYMTAB_INDEX,
            info,
            CODE_ALIGNMENT,
            0,
            code,
            code.length));
    byte[] constants = new byte[Kernel.PARAMETER_BASE + kernel.parameterBytes()];
    elf.add(
        new ElfSection(
            ".nv.constant0." + kernel.name(),
            ElfSection.PROGBITS,
            ElfSection.ALLOC,
            0,
            text,
            4,
            0,
            constants,
            constants.length));
    elf.add(
        new ElfSection(
            ".nv.shared." + kernel.name(),
            ElfSection.NOBITS,
            ElfSection.ALLOC | ElfSection.WRITE,
            0,
            text,
            4,
            0,
            new byte[0],
            kernel.sharedBytes()));
    addAttributes(records, kernel, symbol);
    byte[] attributes = records.bytes();
    elf.add(
        new ElfSection(
            ".nv.info." + kernel.name(),
            ElfSection.CUDA_INFO,
            0,
            SYMTAB_INDEX,
            text,
            1,
            0,
            attributes,
            attributes.length));
  }

  private static byte[] code(Kernel kernel) {
    ByteBuffer code = buffer(8 * kernel.words().size());
    kernel.words().forEach(code::putLong);
    return code.array();
  }

  private static ElfSection symbols(List<Kernel> kernels, List<Integer> names, int firstText) {
    ByteBuffer table = buffer(SYMBOL_BYTES * (names.size() + 1));
    table.position(SYMBOL_BYTES);
    for (int i = 0; i < kernels.size(); i++) {
      table.putInt(names.get(i)).put((byte) (GLOBAL | CubinFile.FUNCTION)).put((byte) ENTRY);
      table.putShort((short) (firstText + 4 * i));
      table.putLong(0).putLong(8L * kernels.get(i).words().size());
    }
    // A texture is in no section.
    for (int name : names.subList(kernels.size(), names.size())) {
      table.putInt(name).put((byte) (GLOBAL | CubinFile.TEXTURE)).position(table.position() + 19);
    }
    return new ElfSection(
        ".symtab",
        ElfSection.SYMTAB,
        0,
        STRTAB_INDEX,
        1,
        8,
        SYMBOL_BYTES,
        table.array(),
        table.capacity());
  }

  private static ElfSection global(List<Kernel> kernels) {
    InfoRecords records = new InfoRecords();
    for (int i = 0; i < kernels.size(); i++) {
      records.add(InfoRecords.FRAME_SIZE, i + 1, kernels.get(i).localBytes());
      records.add(InfoRecords.MIN_STACK_SIZE, i + 1, kernels.get(i).localBytes());
    }
    byte[] bytes = records.bytes();
    return new ElfSection(
        ".nv.info", ElfSection.CUDA_INFO, 0, SYMTAB_INDEX, 0, 1, 0, bytes, bytes.length);
  }

  private static void addAttributes(InfoRecords records, Kernel kernel, int symbol) {
    int bytes = kernel.parameterBytes();
    records.add(InfoRecords.PARAM_CBANK, symbol, bytes << 16 | Kernel.PARAMETER_BASE);
    records.addHalf(InfoRecords.PARAM_SIZE, bytes);
    for (int i = kernel.parameters().size() - 1; i >= 0; i--) {
      Kernel.Parameter parameter = kernel.parameters().get(i);
      int offset = parameter.offset() - Kernel.PARAMETER_BASE;
      records.add(
          InfoRecords.KPARAM_INFO,
          0,
          offset << 16 | i,
          parameter.bytes() << 18 | InfoRecords.KPARAM_FLAGS);
    }
    records.add(InfoRecords.CRS_STACK_SIZE, kernel.stackBytes());
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
