package io.sluice.migrate.memory;

import io.sluice.channel.record.MemoryRecord;
import java.lang.foreign.MemorySegment;

/** Video memory that is mapped as a whole: every page is compared. */
final class ApertureView implements PageView {
  private final MemorySegment aperture;
  private final PageMap.Comparison comparison;
  private int base;

  ApertureView(MemorySegment aperture, PageMap.Comparison comparison) {
    this.aperture = aperture;
    this.comparison = comparison;
  }

  @Override
  public boolean show(MemoryRecord record, long page, int newBase) {
    base = newBase;
    return true;
  }

  @Override
  public boolean hasChanged(long page) {
    return comparison.hasChanged(base + (int) page, aperture, at(page));
  }

  @Override
  public void warmUp(long page) {
    comparison.warmUp(aperture, at(page));
  }

  @Override
  public MemorySegment bytes() {
    return aperture;
  }

  @Override
  public long at(long page) {
    return (base + page) * Fingerprint.PAGE_BYTES;
  }

  @Override
  public boolean isWhole() {
    return true;
  }
}
