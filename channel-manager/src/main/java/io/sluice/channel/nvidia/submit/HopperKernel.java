package io.sluice.channel.nvidia.submit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * A kernel of a cubin, the ELF file that nvcc makes. Files of our own are read, not a guest's.
 *
 * @param code its instructions
 * @param registers of a thread
 * @param parameterBase where in constant bank 0 the parameters stand
 * @param parameterBytes how long they are
 */
public record HopperKernel(byte[] code, int registers, int parameterBase, int parameterBytes) {
  private static final String TEXT = ".text.";
  private static final int SECTION_HEADER_BYTES = 64;
  private static final int SYMBOL_BYTES = 24;
  private static final int TYPE_SYMBOLS = 2;
  private static final int FORMAT_SIZED = 4;
  private static final int ATTRIBUTE_PARAMETERS = 0x0a;
  private static final int ATTRIBUTE_REGISTERS = 0x2f;

  /**
   * The kernels of a file, by name.
   *
   * @throws IllegalStateException one of them cannot be launched
   */
  public static Map<String, HopperKernel> parse(byte[] file) {
    ByteBuffer elf = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    List<ElfSection> sections = sections(elf);
    Map<Integer, Integer> registers = new HashMap<>();
    for (ElfSection section : sections) {
      if (section.name().equals(".nv.info")) {
        forEachAttribute(
            elf,
            section,
            ATTRIBUTE_REGISTERS,
            at -> registers.put(elf.getInt(at + 4), elf.getInt(at + 8)));
      }
    }
    Map<String, HopperKernel> kernels = new HashMap<>();
    for (ElfSection text : sections) {
      if (!text.name().startsWith(TEXT)) {
        continue;
      }
      String name = text.name().substring(TEXT.length());
      int[] parameters = new int[2];
      for (ElfSection info : sections) {
        if (info.name().equals(".nv.info." + name)) {
          forEachAttribute(
              elf,
              info,
              ATTRIBUTE_PARAMETERS,
              at -> {
                parameters[0] = Short.toUnsignedInt(elf.getShort(at + 8));
                parameters[1] = Short.toUnsignedInt(elf.getShort(at + 10));
              });
        }
      }
      int used = registers.getOrDefault(symbol(elf, sections, name), 0);
      byte[] code = Arrays.copyOfRange(file, text.offset(), text.offset() + text.size());
      if (code.length == 0 || used == 0 || parameters[1] == 0) {
        throw new IllegalStateException("not a kernel that can be launched, name=" + name);
      }
      kernels.put(name, new HopperKernel(code, used, parameters[0], parameters[1]));
    }
    return kernels;
  }

  private record ElfSection(String name, int type, int offset, int size, int link) {}

  private static List<ElfSection> sections(ByteBuffer elf) {
    int headers = (int) elf.getLong(0x28);
    int count = Short.toUnsignedInt(elf.getShort(0x3c));
    int names = header(headers, Short.toUnsignedInt(elf.getShort(0x3e)));
    int strings = (int) elf.getLong(names + 24);
    List<ElfSection> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int at = header(headers, i);
      found.add(
          new ElfSection(
              text(elf, strings + elf.getInt(at)),
              elf.getInt(at + 4),
              (int) elf.getLong(at + 24),
              (int) elf.getLong(at + 32),
              elf.getInt(at + 40)));
    }
    return found;
  }

  private static int header(int headers, int index) {
    return headers + SECTION_HEADER_BYTES * index;
  }

  private static int symbol(ByteBuffer elf, List<ElfSection> sections, String name) {
    for (ElfSection table : sections) {
      if (table.type() == TYPE_SYMBOLS) {
        int strings = sections.get(table.link()).offset();
        for (int i = 0; i < table.size() / SYMBOL_BYTES; i++) {
          if (text(elf, strings + elf.getInt(table.offset() + i * SYMBOL_BYTES)).equals(name)) {
            return i;
          }
        }
      }
    }
    throw new IllegalStateException("no such symbol, name=" + name);
  }

  private static void forEachAttribute(
      ByteBuffer elf, ElfSection section, int wanted, IntConsumer action) {
    int at = section.offset();
    while (at + 4 <= section.offset() + section.size()) {
      boolean sized = elf.get(at) == FORMAT_SIZED;
      if (sized && Byte.toUnsignedInt(elf.get(at + 1)) == wanted) {
        action.accept(at);
      }
      at += 4 + (sized ? Short.toUnsignedInt(elf.getShort(at + 2)) : 0);
    }
  }

  private static String text(ByteBuffer elf, int at) {
    int end = at;
    while (elf.get(end) != 0) {
      end++;
    }
    byte[] bytes = new byte[end - at];
    elf.get(at, bytes);
    return new String(bytes, StandardCharsets.US_ASCII);
  }
}
