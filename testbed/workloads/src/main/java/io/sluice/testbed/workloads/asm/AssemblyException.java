package io.sluice.testbed.workloads.asm;

/** A line that cannot be assembled. */
public final class AssemblyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AssemblyException(int line, String problem) {
    super("line " + line + ": " + problem);
  }
}
