package io.sluice.migrate.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * The reading of a connection into arrays. The JDK's TLS opens a record in an array in one pass and
 * in place; of one in a direct buffer it copies every piece to an array and back.
 */
final class HeapReads implements RecvByteBufAllocator {
  private final RecvByteBufAllocator sizes;

  /**
   * @param sizes how much at a time
   */
  HeapReads(RecvByteBufAllocator sizes) {
    this.sizes = sizes;
  }

  @Override
  public Handle newHandle() {
    return new InArrays(sizes.newHandle());
  }

  private static final class InArrays extends DelegatingHandle implements ExtendedHandle {
    InArrays(Handle sizes) {
      super(sizes);
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return allocator.heapBuffer(guess());
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
      return ((ExtendedHandle) delegate()).continueReading(maybeMore);
    }
  }
}
