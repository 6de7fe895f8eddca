package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Questions for information. The library writes into memory of this process; the application gets a
 * copy, so that nothing that the library reads again can change meanwhile. What would be a handle
 * is refused.
 */
final class Queries {
  /** Most bytes of an answer. */
  private static final long MOST_BYTES = 64L << 20;

  private final Memo memo;

  Queries(Memo memo) {
    this.memo = memo;
  }

  /** A query of the library, of which size or place may be nothing. */
  private interface Query {
    int ask(long size, MemorySegment out, MemorySegment sizeOut);
  }

  void platform(OpenClCall.PlatformInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetPlatformInfo(c.platform().handle(), c.param(), size, out, needed));
  }

  void device(OpenClCall.DeviceInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetDeviceInfo(c.device().handle(), c.param(), size, out, needed));
  }

  void image(OpenClCall.ImageInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetImageInfo(c.mem().handle(), c.param(), size, out, needed));
  }

  void build(OpenClCall.BuildInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetProgramBuildInfo(
                c.program().handle(), c.device().handle(), c.param(), size, out, needed));
  }

  void kernel(OpenClCall.KernelInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetKernelInfo(c.kernel().handle(), c.param(), size, out, needed));
  }

  void argument(OpenClCall.ArgumentInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetKernelArgInfo(
                c.kernel().handle(), c.argument(), c.param(), size, out, needed));
  }

  void workGroup(OpenClCall.WorkGroupInfo c, Answer answer) {
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetKernelWorkGroupInfo(
                c.kernel().handle(), handle(c.device()), c.param(), size, out, needed));
  }

  void subGroup(OpenClCall.SubGroupInfo c, Answer answer) {
    MemorySegment input = c.input().length == 0 ? MemorySegment.NULL : memo.copy(c.input());
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetKernelSubGroupInfo(
                c.kernel().handle(),
                handle(c.device()),
                c.param(),
                c.input().length,
                input,
                size,
                out,
                needed));
  }

  private static long handle(@Nullable SessionObject object) {
    return object == null ? 0 : object.handle();
  }

  void program(OpenClCall.ProgramInfo c, Answer answer) {
    if (c.param() == ClParam.PROGRAM_BINARIES) {
      binaries(c, answer);
      return;
    }
    give(
        c.param(),
        c.out(),
        answer,
        (size, out, needed) ->
            OpenClLibrary.clGetProgramInfo(c.program().handle(), c.param(), size, out, needed));
  }

  /**
   * u64 bytes of each device's binary, then the binaries, so that an answer is right in itself. The
   * library wants an address for each binary.
   */
  private void binaries(OpenClCall.ProgramInfo c, Answer answer) {
    long program = c.program().handle();
    MemorySegment count = memo.bytes(Integer.BYTES);
    int status =
        OpenClLibrary.clGetProgramInfo(
            program, ClParam.PROGRAM_NUM_DEVICES, Integer.BYTES, count, MemorySegment.NULL);
    int devices = status == ClStatus.SUCCESS ? count.get(ValueLayout.JAVA_INT, 0) : 0;
    MemorySegment sizes = memo.bytes(8L * Math.max(1, devices));
    if (status == ClStatus.SUCCESS) {
      status =
          OpenClLibrary.clGetProgramInfo(
              program, ClParam.PROGRAM_BINARY_SIZES, 8L * devices, sizes, MemorySegment.NULL);
    }
    long head = 8L * devices;
    long total = head;
    for (int i = 0; i < devices; i++) {
      total += sizes.getAtIndex(ValueLayout.JAVA_LONG, i);
    }
    if (status != ClStatus.SUCCESS || c.out().byteSize() == 0) {
      answer.give(status, total);
      return;
    }
    if (total > MOST_BYTES || c.out().byteSize() < total) {
      answer.give(ClStatus.INVALID_VALUE, total);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(Math.max(1, total));
      MemorySegment places = memo.bytes(head);
      long at = head;
      for (int i = 0; i < devices; i++) {
        places.setAtIndex(ValueLayout.JAVA_LONG, i, all.address() + at);
        at += sizes.getAtIndex(ValueLayout.JAVA_LONG, i);
      }
      status =
          OpenClLibrary.clGetProgramInfo(
              program, ClParam.PROGRAM_BINARIES, head, places, MemorySegment.NULL);
      MemorySegment.copy(sizes, 0, all, 0, head);
      MemorySegment.copy(all, 0, c.out(), 0, total);
    }
    answer.give(status, total);
  }

  void imageFormats(OpenClCall.ImageFormats c, Answer answer) {
    MemorySegment count = memo.bytes(Integer.BYTES);
    int room = (int) Math.min(1024, c.out().byteSize() / 8);
    MemorySegment formats = room == 0 ? MemorySegment.NULL : memo.bytes(8L * room);
    int status =
        OpenClLibrary.clGetSupportedImageFormats(
            c.context().handle(), c.flags(), c.type(), room, formats, count);
    int there = count.get(ValueLayout.JAVA_INT, 0);
    if (status == ClStatus.SUCCESS && room > 0) {
      MemorySegment.copy(formats, 0, c.out(), 0, 8L * Math.min(room, there));
    }
    answer.give(status, 8L * there);
  }

  void timers(OpenClCall.Timers c, Answer answer) {
    MemorySegment device = memo.bytes(Long.BYTES);
    MemorySegment host = memo.bytes(Long.BYTES);
    int status = OpenClLibrary.clGetDeviceAndHostTimer(c.device().handle(), device, host);
    answer.give(status, device.get(ValueLayout.JAVA_LONG, 0), host.get(ValueLayout.JAVA_LONG, 0));
  }

  private void give(int param, MemorySegment out, Answer answer, Query query) {
    if (ClParam.isHandle(param)) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    MemorySegment needed = memo.bytes(Long.BYTES);
    int status = query.ask(0, MemorySegment.NULL, needed);
    long bytes = needed.get(ValueLayout.JAVA_LONG, 0);
    if (status != ClStatus.SUCCESS || out.byteSize() == 0 || bytes == 0) {
      answer.give(status, bytes);
      return;
    }
    if (bytes > out.byteSize() || bytes > MOST_BYTES) {
      answer.give(ClStatus.INVALID_VALUE, bytes);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(bytes, Long.BYTES);
      status = query.ask(bytes, copy, MemorySegment.NULL);
      if (status == ClStatus.SUCCESS) {
        MemorySegment.copy(copy, 0, out, 0, bytes);
      }
    }
    answer.give(status, bytes);
  }
}
