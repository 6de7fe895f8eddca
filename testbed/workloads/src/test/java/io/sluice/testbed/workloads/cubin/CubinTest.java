package io.sluice.testbed.workloads.cubin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.asm.Kernel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reads cubins the way a driver library does. */
final class CubinTest {
  private final List<Kernel> kernels = Kernels.file("lud");
  private final ByteBuffer file =
      ByteBuffer.wrap(Cubin.write(kernels)).order(ByteOrder.LITTLE_ENDIAN);
  private final Map<String, Integer> headers = headers();

  private Map<String, Integer> headers() {
    int table = (int) file.getLong(40);
    int count = file.getShort(60);
    int names = (int) file.getLong(table + 64 * file.getShort(62) + 24);
    Map<String, Integer> found = new HashMap<>();
    for (int i = 1; i < count; i++) {
      int header = table + 64 * i;
      found.put(text(names + file.getInt(header)), header);
    }
    return found;
  }

  private String text(int offset) {
    int end = offset;
    while (file.get(end) != 0) {
      end++;
    }
    return new String(file.array(), offset, end - offset, StandardCharsets.US_ASCII);
  }

  private int header(String section) {
    assertThat(headers).containsKey(section);
    return headers.getOrDefault(section, 0);
  }

  @Test
  void write_header_isThatOfACudaFile() {
    assertThat(file.getInt(0)).isEqualTo(0x464c457f);
    assertThat(file.get(4)).as("64 bits").isEqualTo((byte) 2);
    assertThat(file.getShort(18)).as("EM_CUDA").isEqualTo((short) 190);
    assertThat(file.getInt(48) & 0xff).as("sm_20").isEqualTo(0x14);
  }

  @Test
  void write_text_hasCodeRegistersAndBarriers() {
    for (Kernel kernel : kernels) {
      int text = header(".text." + kernel.name());

      assertThat(file.getInt(text + 44) >>> 24 & 0x3f).isEqualTo(kernel.registers());
      assertThat(file.getLong(text + 8) >>> 20 & 0xf).isEqualTo(kernel.barriers());
      assertThat(file.getLong(text + 32)).isEqualTo(8L * kernel.words().size());
      int code = (int) file.getLong(text + 24);
      for (int i = 0; i < kernel.words().size(); i++) {
        assertThat(file.getLong(code + 8 * i)).isEqualTo(kernel.words().get(i));
      }
    }
  }

  @Test
  void write_sharedAndConstants_haveTheirSizes() {
    Kernel perimeter = kernels.get(1);

    assertThat(file.getLong(header(".nv.shared.lud_perimeter") + 32)).isEqualTo(0xc00);
    assertThat(file.getInt(header(".nv.shared.lud_perimeter") + 4)).as("NOBITS").isEqualTo(8);
    assertThat(file.getLong(header(".nv.constant0.lud_perimeter") + 32))
        .isEqualTo(0x20 + perimeter.parameterBytes());
  }

  @Test
  void write_info_tellsParametersAndStack() {
    int info = header(".nv.info.lud_diagonal");
    int at = (int) file.getLong(info + 24);
    int end = at + (int) file.getLong(info + 32);
    Map<Integer, Integer> offsets = new HashMap<>();
    Map<Integer, Integer> sizes = new HashMap<>();
    int stack = 0;
    int base = 0;
    while (at < end) {
      int kind = file.getShort(at);
      int size = file.getShort(at + 2);
      switch (kind) {
        case 0x0a04 -> base = file.getShort(at + 8);
        case 0x1704 -> {
          int index = file.getShort(at + 8);
          offsets.put(index, (int) file.getShort(at + 10));
          sizes.put(index, file.getInt(at + 12) >>> 18);
        }
        case 0x1903 -> {
          assertThat(size).isEqualTo(16);
          size = 0;
        }
        case 0x1e04 -> stack = file.getInt(at + 4);
        default -> throw new AssertionError(Integer.toHexString(kind));
      }
      at += 4 + size;
    }

    assertThat(at).isEqualTo(end);
    assertThat(base).isEqualTo(0x20);
    assertThat(stack).isEqualTo(0x200);
    assertThat(offsets).isEqualTo(Map.of(0, 0, 1, 8, 2, 12));
    assertThat(sizes).isEqualTo(Map.of(0, 8, 1, 4, 2, 4));
  }

  @Test
  void write_symbols_nameTheirSections() {
    int symbols = (int) file.getLong(header(".symtab") + 24);
    int strings = (int) file.getLong(header(".strtab") + 24);
    int table = (int) file.getLong(40);
    for (int i = 0; i < kernels.size(); i++) {
      int symbol = symbols + 24 * (i + 1);
      String name = kernels.get(i).name();
      assertThat(text(strings + file.getInt(symbol))).isEqualTo(name);
      assertThat(table + 64 * file.getShort(symbol + 6)).isEqualTo(header(".text." + name));
    }
  }
}
