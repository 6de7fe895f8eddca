package io.sluice.testbed.demo;

import io.sluice.abi.sys.Kernel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A guest that is a process, this one: each work attaches anew. */
final class ProcessSession implements GuestSession {
  private final List<GuestWork> works = new ArrayList<>();

  ProcessSession(Kernel kernel, Path socket, Sizes sizes, Report report) {
    works.add(new ProcessCopy(kernel, socket, sizes.copyBytes(), report));
    for (ComputeProgram kind : ComputeProgram.values()) {
      int size = sizes.of(kind);
      if (size > 0) {
        works.add(new ProcessCompute(kernel, socket, kind, size, report));
      }
    }
  }

  @Override
  public void start() {
    // It runs already.
  }

  @Override
  public List<GuestWork> works() {
    return works;
  }

  @Override
  public void close() {
    // Nothing is left: each work has detached.
  }
}
