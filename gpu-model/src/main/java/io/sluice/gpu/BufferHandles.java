package io.sluice.gpu;

import org.jspecify.annotations.Nullable;

/**
 * The buffer objects of one open by their handles, in pages of 256 that are made when they are
 * first used: no handle is found, added or taken out at the cost of others. Guarded by the GPU's
 * lock.
 */
final class BufferHandles {
  private static final int PAGE_SHIFT = 8;
  private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;

  private final @Nullable GemObject[] @Nullable [] pages;

  /**
   * @param handles handles are below this
   */
  BufferHandles(int handles) {
    pages = new @Nullable GemObject[(handles + PAGE_MASK) >>> PAGE_SHIFT][];
  }

  /** The object a client knows by a handle; any number may be asked for. */
  @Nullable GemObject get(int handle) {
    int number = handle >>> PAGE_SHIFT;
    @Nullable GemObject[] page = number < pages.length ? pages[number] : null;
    return page == null ? null : page[handle & PAGE_MASK];
  }

  void put(int handle, GemObject object) {
    int number = handle >>> PAGE_SHIFT;
    @Nullable GemObject[] page = pages[number];
    if (page == null) {
      page = new @Nullable GemObject[PAGE_MASK + 1];
      pages[number] = page;
    }
    page[handle & PAGE_MASK] = object;
  }

  void remove(int handle) {
    @Nullable GemObject[] page = pages[handle >>> PAGE_SHIFT];
    if (page != null) {
      page[handle & PAGE_MASK] = null;
    }
  }
}
