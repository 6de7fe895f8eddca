package io.sluice.testbed.fakes;

import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A mapping of the fake kernel. It keeps its file until it is closed; a second close is none. */
final class FakeMapping implements Mapping {
  private final OpenFile file;
  private final MemorySegment segment;
  private final Consumer<OpenFile> unmap;
  private final AtomicBoolean open = new AtomicBoolean(true);

  /**
   * @param unmap called once, without the fake's lock
   */
  FakeMapping(OpenFile file, MemorySegment segment, Consumer<OpenFile> unmap) {
    this.file = file;
    this.segment = segment;
    this.unmap = unmap;
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      unmap.accept(file);
    }
  }
}
