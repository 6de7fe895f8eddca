package io.sluice.channel.table;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.Capability;
import io.sluice.channel.GuestGpu;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The control pages of a guest, as far as they are ours. On a GPU whose pages have no room for our
 * words these are kept where no guest sees them.
 */
public final class ControlPages implements AutoCloseable {
  private final @Nullable Mapping mapping;
  private final ControlPage[] pages;

  private ControlPages(@Nullable Mapping mapping, MemorySegment bytes, int count) {
    this.mapping = mapping;
    pages = new ControlPage[count];
    for (int i = 0; i < count; i++) {
      pages[i] = new ControlPage(bytes, i);
    }
  }

  public static ControlPages of(
      GuestGpu backend, Capabilities capabilities, int count, Kernel kernel) {
    Optional<GuestGpu.SharedArea> area = backend.controlPages();
    long bytes = count * ControlPage.PAGE_BYTES;
    if (area.isEmpty() || !capabilities.has(Capability.CONTROL_WORDS)) {
      MemorySegment unseen = MemorySegment.ofArray(new long[(int) (bytes / Long.BYTES)]);
      return new ControlPages(null, unseen, count);
    }
    Mapping mapping =
        kernel.mmap(
            area.get().fd(), area.get().offset(), bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    return new ControlPages(mapping, mapping.segment(), count);
  }

  public ControlPage page(int channelId) {
    return pages[channelId];
  }

  @Override
  public void close() {
    if (mapping != null) {
      mapping.close();
    }
  }
}
