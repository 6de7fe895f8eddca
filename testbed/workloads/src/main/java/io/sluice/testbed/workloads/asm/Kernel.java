package io.sluice.testbed.workloads.asm;

import java.util.List;
import java.util.Optional;

/**
 * An assembled kernel.
 *
 * @param name its name
 * @param words its instructions
 * @param registers registers of a thread
 * @param barriers named barriers
 * @param sharedBytes shared memory of a block
 * @param localBytes local memory of a thread
 * @param stackBytes call stack of a warp
 * @param parameters in order
 * @param textures what the host binds
 */
public record Kernel(
    String name,
    List<Long> words,
    int registers,
    int barriers,
    int sharedBytes,
    int localBytes,
    int stackBytes,
    List<Parameter> parameters,
    List<Texture> textures) {
  /** Where parameters start in bank 0. */
  public static final int PARAMETER_BASE = 0x20;

  public Kernel {
    words = List.copyOf(words);
    parameters = List.copyOf(parameters);
    textures = List.copyOf(textures);
  }

  /**
   * A parameter.
   *
   * @param name its name
   * @param offset byte offset in bank 0
   * @param bytes 4 or 8
   */
  public record Parameter(String name, int offset, int bytes) {}

  /**
   * A texture.
   *
   * @param name its name
   * @param slot where instructions look for it
   */
  public record Texture(String name, int slot) {}

  /** The parameter of a name. */
  public Optional<Parameter> parameter(String wanted) {
    return parameters.stream().filter(p -> p.name().equals(wanted)).findFirst();
  }

  /** Bytes of all parameters. */
  public int parameterBytes() {
    if (parameters.isEmpty()) {
      return 0;
    }
    Parameter last = parameters.get(parameters.size() - 1);
    return last.offset() + last.bytes() - PARAMETER_BASE;
  }
}
