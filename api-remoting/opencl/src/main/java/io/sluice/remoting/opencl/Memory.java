package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/** Buffers and images. Their bytes are charged to the guest before they are made. */
final class Memory implements PinnedMemory.Library {
  /** The flags that a guest's own side has dealt with. */
  private static final long HOST_FLAGS =
      ClParam.MEM_USE_HOST_PTR | ClParam.MEM_ALLOC_HOST_PTR | ClParam.MEM_COPY_HOST_PTR;

  /** What the application may do to an object; its own side sees to that, and a move does both. */
  private static final long HOST_ACCESS =
      ClParam.MEM_HOST_WRITE_ONLY | ClParam.MEM_HOST_READ_ONLY | ClParam.MEM_HOST_NO_ACCESS;

  /** Numbers of an image's shape. */
  private static final int SHAPE = 7;

  /** {@code sizeof(cl_image_desc)} and the offsets of its fields. */
  private static final long DESC_BYTES = 72;

  private final SessionContext context;
  private final Memo memo;

  Memory(SessionContext context, Memo memo) {
    this.context = context;
    this.memo = memo;
  }

  /**
   * A map of such a buffer, and what it was asked for.
   *
   * @param address where the library has it; 0 for one that came with the session, which it has not
   * @param by the call that makes it, if that was to wait for the application
   */
  record BufferMap(long address, long bytes, long flags, @Nullable Blocked by) {
    boolean writes() {
      return (flags & (ClParam.MAP_WRITE | ClParam.MAP_WRITE_INVALIDATE_REGION)) != 0;
    }
  }

  /** A buffer whose storage is the session's memory, and its maps by offset. */
  record MappedBuffer(MemorySegment storage, java.util.Map<Long, Deque<BufferMap>> maps) {}

  /** A buffer whose storage is the library's. */
  record LibraryBuffer(long bytes) {}

  /**
   * An image.
   *
   * @param shape as in the call that makes it
   */
  record ImageShape(int kind, long elementBytes, long[] shape) {}

  /** The flags for the library, of those that an application gives. */
  private static long flags(long given) {
    boolean isOne = Long.bitCount(given & HOST_ACCESS) == 1; // several are refused by the library
    return given & ~HOST_FLAGS & ~(isOne ? HOST_ACCESS : 0);
  }

  void createBuffer(OpenClCall.CreateBuffer c, CallRecord record, Answer answer) {
    MemorySegment initial = c.initial();
    if (initial.byteSize() != 0 && initial.byteSize() != c.size()) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    long flags = flags(c.flags());
    if (initial.byteSize() != 0) {
      flags |= ClParam.MEM_COPY_HOST_PTR;
    }
    make(
        c.mem(),
        c.context(),
        flags,
        c.size(),
        initial,
        record,
        answer,
        new LibraryBuffer(c.size()));
  }

  void createMappedBuffer(OpenClCall.CreateMappedBuffer c, CallRecord record, Answer answer) {
    long flags = flags(c.flags()) | ClParam.MEM_USE_HOST_PTR;
    MemorySegment storage = c.storage();
    make(
        c.mem(),
        c.context(),
        flags,
        storage.byteSize(),
        storage,
        record,
        answer,
        new MappedBuffer(storage, new HashMap<>()));
  }

  private void make(
      int index,
      SessionObject owner,
      long flags,
      long size,
      MemorySegment host,
      CallRecord record,
      Answer answer,
      Object attachment) {
    if (!context.charge(size)) {
      answer.give(ClStatus.MEM_OBJECT_ALLOCATION_FAILURE);
      return;
    }
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle = OpenClLibrary.clCreateBuffer(owner.handle(), flags, size, host, error);
    if (handle == 0) {
      context.release(size);
    } else {
      SessionObject object = context.objects().add(OpenClKinds.MEM, index, handle, record);
      context.chargeTo(object, size);
      SessionObject _ = object.attach(attachment);
    }
    answer.give(Objects.error(error));
  }

  @Override
  public long pin(long owner, MemorySegment memory) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    return OpenClLibrary.clCreateBuffer(
        owner, ClParam.MEM_USE_HOST_PTR, memory.byteSize(), memory, error);
  }

  @Override
  public void unpin(long handle) {
    int _ = OpenClLibrary.clReleaseMemObject(handle);
  }

  void createSubBuffer(OpenClCall.CreateSubBuffer c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle =
        OpenClLibrary.clCreateSubBuffer(
            c.parent().handle(),
            flags(c.flags()),
            ClParam.BUFFER_CREATE_TYPE_REGION,
            memo.longs(c.origin(), c.size()),
            error);
    if (handle != 0) {
      SessionObject _ = context.objects().add(OpenClKinds.MEM, c.mem(), handle, record);
    }
    answer.give(Objects.error(error));
  }

  void createImage(OpenClCall.CreateImage c, CallRecord record, Answer answer) {
    if (c.shape().length != SHAPE) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    boolean hasParent = c.parent() != null;
    boolean initial = c.initial().byteSize() != 0;
    long given = initial ? Images.initialBytes(c.order(), c.type(), c.shape()) : 0;
    boolean strangePitches = !initial && !hasParent && Images.hasPitches(c.shape());
    if (c.initial().byteSize() < given || strangePitches) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    long most = Images.mostBytes(c.shape());
    long bytes = Math.max(most, given); // the library may keep the pitches
    if (most < 0 || !hasParent && !context.charge(bytes)) {
      answer.give(ClStatus.MEM_OBJECT_ALLOCATION_FAILURE);
      return;
    }
    MemorySegment error = memo.bytes(Integer.BYTES);
    long flags = flags(c.flags()) | (initial ? ClParam.MEM_COPY_HOST_PTR : 0);
    long handle =
        OpenClLibrary.clCreateImage(
            c.context().handle(), flags, format(c), desc(c), c.initial(), error);
    if (handle == 0) {
      context.release(hasParent ? 0 : bytes);
    } else {
      SessionObject object = context.objects().add(OpenClKinds.MEM, c.mem(), handle, record);
      context.chargeTo(object, hasParent ? 0 : bytes);
      SessionObject _ =
          object.attach(new ImageShape((int) c.shape()[0], elementBytes(handle), c.shape()));
    }
    answer.give(Objects.error(error));
  }

  private MemorySegment format(OpenClCall.CreateImage c) {
    MemorySegment format = memo.bytes(8);
    format.set(ValueLayout.JAVA_INT, 0, c.order());
    format.set(ValueLayout.JAVA_INT, 4, c.type());
    return format;
  }

  /**
   * {@code cl_image_desc}: u32 type, then six sizes from 8 on, two u32 at 56 and 60, the parent at
   * 64.
   */
  private MemorySegment desc(OpenClCall.CreateImage c) {
    MemorySegment desc = memo.bytes(DESC_BYTES);
    desc.set(ValueLayout.JAVA_INT, 0, (int) c.shape()[0]);
    for (int i = 1; i < SHAPE; i++) {
      desc.set(ValueLayout.JAVA_LONG, 8L * i, c.shape()[i]);
    }
    SessionObject parent = c.parent();
    desc.set(ValueLayout.JAVA_LONG, 64, parent == null ? 0 : parent.handle());
    return desc;
  }

  private long elementBytes(long handle) {
    MemorySegment out = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clGetImageInfo(
            handle, ClParam.IMAGE_ELEMENT_SIZE, Long.BYTES, out, MemorySegment.NULL);
    return status == ClStatus.SUCCESS
        ? out.get(ValueLayout.JAVA_LONG, 0)
        : Images.MOST_ELEMENT_BYTES;
  }

  /** Notes a map of a mapped buffer. */
  static void mapped(MappedBuffer buffer, long offset, BufferMap map) {
    buffer.maps().computeIfAbsent(offset, _ -> new ArrayDeque<>()).push(map);
  }

  /** The latest map at an offset, which is forgotten; null if there is none. */
  static @Nullable BufferMap unmapped(MappedBuffer buffer, long offset) {
    Deque<BufferMap> at = buffer.maps().get(offset);
    BufferMap map = at == null ? null : at.poll();
    if (at != null && at.isEmpty()) {
      Deque<BufferMap> _ = buffer.maps().remove(offset);
    }
    return map;
  }
}
