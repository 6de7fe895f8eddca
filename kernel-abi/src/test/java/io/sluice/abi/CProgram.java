package io.sluice.abi;

import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A C program that prints what the headers of this machine say of structures and constants, in the
 * form of {@link Structs#describe}. Without a compiler or a header the test is skipped, with the
 * reason.
 */
final class CProgram {
  private final List<String> includes;
  private final List<String> flags;
  private final StringBuilder body = new StringBuilder();

  /**
   * @param includes as they stand between {@code #include} and the end of the line
   * @param flags of the compiler
   */
  CProgram(List<String> includes, List<String> flags) {
    this.includes = includes;
    this.flags = flags;
  }

  /** Prints the structure as C has it. */
  void describe(StructLayout layout) {
    String name = layout.name().orElseThrow();
    body.append("printf(\"%s %zx:\", \"").append(name).append("\", sizeof(struct ").append(name);
    body.append("));\n");
    for (MemoryLayout member : layout.memberLayouts()) {
      String field = member.name().orElse("pad");
      if (!Structs.isPadding(field)) {
        body.append("printf(\" %s@%zx:%zx\", \"").append(field);
        body.append("\", offsetof(struct ").append(name).append(", ").append(field);
        body.append("), sizeof(((struct ").append(name).append(" *)0)->").append(field);
        body.append("));\n");
      }
    }
    body.append("printf(\"\\n\");\n");
  }

  /** Prints {@code label value}, as 64 bits with sign. */
  void value(String label, String expression) {
    body.append("printf(\"%s %lld\\n\", \"").append(label).append("\", (long long)(");
    body.append(expression).append("));\n");
  }

  /** As {@link #value}, or nothing where the headers are older than the macro. */
  void valueIfDefined(String label, String macro) {
    body.append("#ifdef ").append(macro).append('\n');
    value(label, macro);
    body.append("#endif\n");
  }

  /** As {@link #value}, or nothing where the kernel headers are older. */
  void valueSince(int major, int minor, String label, String expression) {
    body.append("#if LINUX_VERSION_CODE >= KERNEL_VERSION(");
    body.append(major).append(',').append(minor).append(",0)\n");
    value(label, expression);
    body.append("#endif\n");
  }

  /** Compiles and runs it: the lines it prints. */
  List<String> run(Path directory) throws IOException, InterruptedException {
    Path source = directory.resolve("parity.c");
    StringBuilder text = new StringBuilder("#define _GNU_SOURCE\n");
    for (String include : includes) {
      if (include.startsWith("<")) {
        text.append("#if !__has_include(").append(include).append(")\n");
        text.append("#error header-is-missing ").append(include).append("\n#endif\n");
      }
      text.append("#include ").append(include).append('\n');
    }
    text.append("#include <stdio.h>\n#include <stddef.h>\nint main(void) {\n");
    text.append(body).append("return 0;\n}\n");
    Files.writeString(source, text);

    Path program = directory.resolve("parity");
    List<String> compile = new ArrayList<>(List.of("cc", "-w", "-o", program.toString()));
    compile.addAll(flags);
    compile.add(source.toString());
    Process compiler = start(compile);
    String messages = new String(compiler.getInputStream().readAllBytes());
    int failed = compiler.waitFor();
    Assumptions.assumeFalse(
        messages.contains("header-is-missing"), () -> "a header is not installed: " + messages);
    if (failed != 0) {
      throw new AssertionError("the parity program does not compile:\n" + messages);
    }
    Process run = start(List.of(program.toString()));
    List<String> lines = run.inputReader().lines().toList();
    if (run.waitFor() != 0) {
      throw new AssertionError("the parity program failed: " + lines);
    }
    return lines;
  }

  private static Process start(List<String> command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      return Assumptions.abort("cannot run " + command.getFirst() + ": " + missing.getMessage());
    }
  }
}
