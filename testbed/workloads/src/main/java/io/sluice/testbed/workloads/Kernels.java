package io.sluice.testbed.workloads;

import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The kernels of this module, from their assembler text. */
public final class Kernels {
  /** The files there are. */
  public static final List<String> FILES = List.of("mmul", "lud", "nn", "backprop", "blur");

  private Kernels() {}

  /** Assembles a file. */
  public static List<Kernel> file(String name) {
    try (InputStream text = Kernels.class.getResourceAsStream(name + ".sasm")) {
      if (text == null) {
        throw new IllegalArgumentException("no such kernels, name=" + name);
      }
      return Assembler.assemble(new String(text.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One kernel of a file. */
  static Kernel of(String file, String name) {
    return file(file).stream()
        .filter(kernel -> kernel.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such kernel, name=" + name));
  }
}
