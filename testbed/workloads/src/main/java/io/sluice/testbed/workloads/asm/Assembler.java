package io.sluice.testbed.workloads.asm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The assembler of kernels. A line holds an instruction, a label with a colon, a directive, or
 * nothing; a comment starts with {@code //}.
 *
 * <pre>
 * .kernel name       starts a kernel
 * .param 8 name      a parameter of 4 or 8 bytes: %name is its place in bank 0, %name+4 its upper half
 * .texture slot name what the host binds by that name
 * .equ NAME value    a name for a number
 * .shared bytes      shared memory of a block
 * .local bytes       local memory of a thread
 * .stack bytes       call stack of a warp, if not 512
 * .word value        a word as it is
 * </pre>
 */
public final class Assembler {
  private static final Map<String, Encoder> ENCODERS = encoders();
  private static final int BYTES = 8;
  private static final int DEFAULT_STACK_BYTES = 0x200;

  private final List<Kernel> kernels = new ArrayList<>();
  private int line;
  private Source source = new Source("");
  private boolean started;

  private Assembler() {}

  /** All of them, by mnemonic. */
  private static Map<String, Encoder> encoders() {
    Map<String, Encoder> all = new HashMap<>();
    IntegerEncoder.register(all);
    FloatEncoder.register(all);
    CompareEncoder.register(all);
    MoveEncoder.register(all);
    MemoryEncoder.register(all);
    ImageEncoder.register(all);
    ControlEncoder.register(all);
    return Map.copyOf(all);
  }

  /** The knowledge of a kernel while it is read. */
  private static final class Source {
    final String name;
    final Map<String, Long> numbers = new HashMap<>();
    final Map<String, Integer> offsets = new HashMap<>();
    final Map<String, Integer> labels = new HashMap<>();
    final List<Kernel.Parameter> parameters = new ArrayList<>();
    final List<Kernel.Texture> textures = new ArrayList<>();
    final LineParser parser = new LineParser(numbers, offsets);
    final Map<Integer, Statement> statements = new LinkedHashMap<>();
    final Map<Integer, Long> words = new HashMap<>();
    int address;
    int shared;
    int local;
    int stack = DEFAULT_STACK_BYTES;

    Source(String name) {
      this.name = name;
    }
  }

  /**
   * Assembles a text.
   *
   * @return its kernels, in order
   * @throws AssemblyException for the first line that cannot be
   */
  public static List<Kernel> assemble(String text) {
    Assembler assembler = new Assembler();
    for (String line : text.split("\n", -1)) {
      assembler.line++;
      assembler.read(line);
    }
    assembler.finish();
    return List.copyOf(assembler.kernels);
  }

  /** Assembles one instruction; labels are not known. */
  public static long instruction(String text) {
    Statement statement = new LineParser(Map.of(), Map.of()).parse(1, 0, clean(text));
    return encode(statement, Map.of());
  }

  private static String clean(String text) {
    int comment = text.indexOf("//");
    String code = comment < 0 ? text : text.substring(0, comment);
    return code.replace(';', ' ').strip();
  }

  private void read(String text) {
    String code = clean(text);
    if (code.isEmpty()) {
      return;
    }
    if (code.startsWith(".")) {
      directive(List.of(code.split("\\s+")));
      return;
    }
    if (!started) {
      throw new AssemblyException(line, "no .kernel before the first instruction");
    }
    if (code.endsWith(":")) {
      if (source.labels.put(code.substring(0, code.length() - 1), source.address) != null) {
        throw new AssemblyException(line, "the label was there before: " + code);
      }
      return;
    }
    source.statements.put(source.address, source.parser.parse(line, source.address, code));
    source.address += BYTES;
  }

  private void directive(List<String> parts) {
    if (parts.get(0).equals(".kernel")) {
      finish();
      source = new Source(part(parts, 1));
      started = true;
      return;
    }
    switch (parts.get(0)) {
      case ".param" -> parameter((int) number(part(parts, 1)), part(parts, 2));
      case ".texture" ->
          source.textures.add(new Kernel.Texture(part(parts, 2), (int) number(part(parts, 1))));
      case ".equ" -> source.numbers.put(part(parts, 1), number(part(parts, 2)));
      case ".shared" -> source.shared = (int) number(part(parts, 1));
      case ".local" -> source.local = (int) number(part(parts, 1));
      case ".stack" -> source.stack = (int) number(part(parts, 1));
      case ".word" -> {
        source.words.put(source.address, Long.parseUnsignedLong(part(parts, 1), 16));
        source.address += BYTES;
      }
      default -> throw new AssemblyException(line, "no such directive: " + parts.get(0));
    }
  }

  private String part(List<String> parts, int index) {
    if (index >= parts.size()) {
      throw new AssemblyException(line, parts.get(0) + " needs more");
    }
    return parts.get(index);
  }

  private long number(String text) {
    return source.parser.number(line, text);
  }

  private void parameter(int bytes, String name) {
    if (bytes != 4 && bytes != 8) {
      throw new AssemblyException(line, "a parameter has 4 or 8 bytes");
    }
    int end = Kernel.PARAMETER_BASE;
    if (!source.parameters.isEmpty()) {
      Kernel.Parameter last = source.parameters.get(source.parameters.size() - 1);
      end = last.offset() + last.bytes();
    }
    int offset = (end + bytes - 1) & -bytes;
    source.parameters.add(new Kernel.Parameter(name, offset, bytes));
    source.offsets.put(name, offset);
  }

  private void finish() {
    if (!started) {
      return;
    }
    Usage usage = new Usage();
    List<Long> words = new ArrayList<>();
    for (int address = 0; address < source.address; address += BYTES) {
      Statement statement = source.statements.get(address);
      if (statement == null) {
        words.add(source.words.getOrDefault(address, 0L));
      } else {
        usage.count(statement);
        words.add(encode(statement, source.labels));
      }
    }
    kernels.add(
        new Kernel(
            source.name,
            words,
            usage.registers(),
            usage.barriers(),
            source.shared,
            source.local,
            source.stack,
            source.parameters,
            source.textures));
  }

  private static long encode(Statement statement, Map<String, Integer> labels) {
    Encoder encoder = ENCODERS.get(statement.mnemonic());
    if (encoder == null) {
      throw statement.error("no such instruction");
    }
    return encoder.encode(
        statement,
        name -> {
          Integer address = labels.get(name);
          if (address == null) {
            throw statement.error("no such label: " + name);
          }
          return address;
        });
  }
}
