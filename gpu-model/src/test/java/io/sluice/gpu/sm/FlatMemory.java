package io.sluice.gpu.sm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Global memory of one range of addresses, for tests. */
final class FlatMemory implements SmMemory {
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long base;
  private final ByteBuffer bytes;

  FlatMemory(long base, int size) {
    this.base = base;
    this.bytes =
        ByteBuffer.allocateDirect(size + 8)
            .alignedSlice(8)
            .limit(size)
            .order(ByteOrder.LITTLE_ENDIAN);
  }

  private int index(long address, int size) {
    long offset = address - base;
    if (offset < 0 || offset + size > bytes.limit()) {
      throw new MemoryFault(address);
    }
    return (int) offset;
  }

  @Override
  public int load8(long address) {
    return bytes.get(index(address, 1)) & 0xff;
  }

  @Override
  public int load16(long address) {
    return bytes.getShort(index(address, 2)) & 0xffff;
  }

  @Override
  public int load32(long address) {
    return bytes.getInt(index(address, 4));
  }

  @Override
  public long load64(long address) {
    return bytes.getLong(index(address, 8));
  }

  @Override
  public void store8(long address, int value) {
    bytes.put(index(address, 1), (byte) value);
  }

  @Override
  public void store16(long address, int value) {
    bytes.putShort(index(address, 2), (short) value);
  }

  @Override
  public void store32(long address, int value) {
    bytes.putInt(index(address, 4), value);
  }

  @Override
  public void store64(long address, long value) {
    bytes.putLong(index(address, 8), value);
  }

  @Override
  public int compareAndSwap32(long address, int expected, int value) {
    return (int) INT.compareAndExchange(bytes, index(address, 4), expected, value);
  }

  @Override
  public long compareAndSwap64(long address, long expected, long value) {
    return (long) LONG.compareAndExchange(bytes, index(address, 8), expected, value);
  }
}
