package io.sluice.testbed.demo;

import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.workloads.Blur;
import io.sluice.testbed.workloads.LuDecomposition;
import io.sluice.testbed.workloads.MatrixProduct;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A guest that is a process, this one: each work attaches anew. */
final class ProcessSession implements GuestSession {
  private final List<GuestWork> works = new ArrayList<>();

  ProcessSession(Kernel kernel, Path socket, Sizes sizes, Report report) {
    works.add(new ProcessCopy(kernel, socket, sizes.copyBytes(), report));
    if (sizes.mmul() > 0) {
      works.add(new ProcessCompute(kernel, socket, new MatrixProduct(sizes.mmul()), report));
    }
    if (sizes.lud() > 0) {
      works.add(new ProcessCompute(kernel, socket, new LuDecomposition(sizes.lud()), report));
    }
    if (sizes.blur() > 0) {
      Blur blur = new Blur(sizes.blur(), sizes.blur());
      works.add(new ProcessCompute(kernel, socket, blur, report));
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
