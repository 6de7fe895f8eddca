package io.sluice.testbed.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The one kernel of a cubin, an ELF file.
 *
 * @param code its instructions
 * @param registers of a thread
 * @param parameterBase where in constant bank 0 the parameters stand
 * @param parameterBytes how long they are
 */
record Cubin(byte[] code, int registers, int parameterBase, int parameterBytes) {
  private static final int SECTION_HEADER_BYTES = 64;
  private static final int FORMAT_SIZED = 4;
  private static final int ATTRIBUTE_PARAMETERS = 0x0a;
  private static final int ATTRIBUTE_REGISTERS = 0x2f;

  /** Compiles a source of this package for sm_90; empty where nvcc is not on the PATH. */
  static Optional<Cubin> compile(String source) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("cubin");
    Path cu = directory.resolve(source);
    Path cubin = directory.resolve("kernel.cubin");
    try (InputStream in = Cubin.class.getResourceAsStream(source)) {
      if (in == null) {
        throw new IOException("no such resource, name=" + source);
      }
      Files.write(cu, in.readAllBytes());
      Process nvcc;
      try {
        nvcc =
            new ProcessBuilder(
                    "nvcc", "-arch=sm_90", "-cubin", "-o", cubin.toString(), cu.toString())
                .inheritIO()
                .start();
      } catch (IOException e) {
        return Optional.empty();
      }
      if (nvcc.waitFor() != 0) {
        throw new IOException("nvcc failed, source=" + source);
      }
      return Optional.of(parse(Files.readAllBytes(cubin)));
    } finally {
      Files.deleteIfExists(cu);
      Files.deleteIfExists(cubin);
      Files.deleteIfExists(directory);
    }
  }

  private static Cubin parse(byte[] file) {
    ByteBuffer elf = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int headers = (int) elf.getLong(0x28);
    int count = Short.toUnsignedInt(elf.getShort(0x3c));
    int names =
        (int)
            elf.getLong(
                headers + SECTION_HEADER_BYTES * Short.toUnsignedInt(elf.getShort(0x3e)) + 24);
    byte[] code = {};
    int registers = 0;
    int base = 0;
    int bytes = 0;
    for (int i = 0; i < count; i++) {
      int header = headers + SECTION_HEADER_BYTES * i;
      String name = name(file, names + elf.getInt(header));
      int at = (int) elf.getLong(header + 24);
      int size = (int) elf.getLong(header + 32);
      if (name.startsWith(".text.")) {
        code = Arrays.copyOfRange(file, at, at + size);
      } else if (name.startsWith(".nv.info")) {
        for (int q = at; q + 4 <= at + size; ) {
          int format = elf.get(q);
          int attribute = Byte.toUnsignedInt(elf.get(q + 1));
          if (format == FORMAT_SIZED && attribute == ATTRIBUTE_REGISTERS) {
            registers = elf.getInt(q + 8);
          } else if (format == FORMAT_SIZED && attribute == ATTRIBUTE_PARAMETERS) {
            base = Short.toUnsignedInt(elf.getShort(q + 8));
            bytes = Short.toUnsignedInt(elf.getShort(q + 10));
          }
          q += 4 + (format == FORMAT_SIZED ? Short.toUnsignedInt(elf.getShort(q + 2)) : 0);
        }
      }
    }
    if (code.length == 0 || registers == 0 || bytes == 0) {
      throw new IllegalStateException("not a cubin of one kernel");
    }
    return new Cubin(code, registers, base, bytes);
  }

  private static String name(byte[] file, int at) {
    int end = at;
    while (file[end] != 0) {
      end++;
    }
    return new String(file, at, end - at, StandardCharsets.US_ASCII);
  }
}
