package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntPredicate;

/** Kernels and their arguments. */
final class Kernels {
  private static final int VALUE = 1;
  private static final int MEMORY = 2;
  private static final int LOCAL = 3;
  private static final int SAMPLER = 4;
  private static final int QUEUE = 5;

  /** Most arguments of a kernel that an application is told. */
  private static final int MOST_ARGUMENTS = 4096;

  private final SessionContext context;
  private final Memo memo;
  private final long mostLocalBytes;

  /**
   * @param mostLocalBytes local memory of the device that has most
   */
  Kernels(SessionContext context, Memo memo, long mostLocalBytes) {
    this.context = context;
    this.memo = memo;
    this.mostLocalBytes = mostLocalBytes;
  }

  void create(OpenClCall.CreateKernel c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle = OpenClLibrary.clCreateKernel(c.program().handle(), memo.string(c.name()), error);
    added(c.kernel(), handle, record, Objects.error(error), answer);
  }

  /**
   * What the arguments are is kept: a value where the library expects an object would be an address
   * of the application's choice.
   */
  private void added(int index, long handle, CallRecord record, int status, Answer answer) {
    if (handle == 0) {
      answer.give(status);
      return;
    }
    int[] arguments = new int[argumentCount(handle)];
    for (int i = 0; i < arguments.length; i++) {
      memo.clear();
      arguments[i] = what(handle, i, typeName(handle, i));
    }
    SessionObject _ =
        context
            .objects()
            .add(OpenClKinds.KERNEL, index, handle, record)
            .attach(new Expected(arguments));
    answer.give(status, arguments.length);
  }

  /** The kinds of a kernel's arguments, by their index; 0 where the library does not say. */
  private record Expected(int[] arguments) {
    /** The error of giving an argument as something else, or success. */
    int check(OpenClCall.SetArgument c) {
      if (c.argument() < 0 || c.argument() >= arguments.length) {
        return ClStatus.INVALID_ARG_INDEX;
      }
      int what = arguments[c.argument()];
      boolean fits = what == 0 ? !mayBeAnAddress(c) : what == c.what();
      return fits ? ClStatus.SUCCESS : ClStatus.INVALID_ARG_VALUE;
    }

    private static boolean mayBeAnAddress(OpenClCall.SetArgument c) {
      return c.what() == VALUE && c.value().length == Long.BYTES;
    }
  }

  void copy(OpenClCall.CloneKernel c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle = OpenClLibrary.clCloneKernel(c.source().handle(), error);
    added(c.kernel(), handle, record, Objects.error(error), answer);
  }

  private int argumentCount(long kernel) {
    MemorySegment out = memo.bytes(Integer.BYTES);
    int status =
        OpenClLibrary.clGetKernelInfo(
            kernel, ClParam.KERNEL_NUM_ARGS, Integer.BYTES, out, MemorySegment.NULL);
    return status == ClStatus.SUCCESS
        ? Math.min(MOST_ARGUMENTS, out.get(ValueLayout.JAVA_INT, 0))
        : 0;
  }

  void arguments(OpenClCall.Arguments c, Answer answer) {
    long kernel = c.kernel().handle();
    int count = argumentCount(kernel);
    if (c.out().byteSize() < 8L * count) {
      answer.give(ClStatus.INVALID_VALUE, 8L * count);
      return;
    }
    for (int i = 0; i < count; i++) {
      memo.clear();
      String type = typeName(kernel, i);
      int what = what(kernel, i, type);
      c.out().set(ValueLayout.JAVA_INT_UNALIGNED, 8L * i, what);
      c.out()
          .set(ValueLayout.JAVA_INT_UNALIGNED, 8L * i + 4, what == VALUE ? ClTypes.bytes(type) : 0);
    }
    answer.give(ClStatus.SUCCESS, 8L * count);
  }

  /** What an argument is; 0 if the library does not say. */
  private int what(long kernel, int index, String type) {
    MemorySegment out = memo.bytes(Integer.BYTES);
    int status =
        OpenClLibrary.clGetKernelArgInfo(
            kernel,
            index,
            ClParam.KERNEL_ARG_ADDRESS_QUALIFIER,
            Integer.BYTES,
            out,
            MemorySegment.NULL);
    if (status != ClStatus.SUCCESS) {
      return 0;
    }
    return switch (out.get(ValueLayout.JAVA_INT, 0)) {
      case ClParam.ARG_ADDRESS_GLOBAL, ClParam.ARG_ADDRESS_CONSTANT -> MEMORY;
      case ClParam.ARG_ADDRESS_LOCAL -> LOCAL;
      default ->
          switch (type) {
            case "sampler_t" -> SAMPLER;
            case "queue_t" -> QUEUE;
            default -> type.startsWith("image") || type.startsWith("pipe") ? MEMORY : VALUE;
          };
    };
  }

  private String typeName(long kernel, int index) {
    MemorySegment out = memo.bytes(256);
    int status =
        OpenClLibrary.clGetKernelArgInfo(
            kernel, index, ClParam.KERNEL_ARG_TYPE_NAME, 255, out, MemorySegment.NULL);
    return status == ClStatus.SUCCESS ? out.getString(0) : "";
  }

  void setArgument(OpenClCall.SetArgument c, CallRecord record, Answer answer) {
    int refused = c.kernel().attachment(Expected.class).check(c);
    if (refused != ClStatus.SUCCESS) {
      answer.give(refused);
      return;
    }
    int status =
        switch (c.what()) {
          case VALUE -> set(c, c.value().length, memo.copy(c.value()));
          case MEMORY -> set(c, Long.BYTES, object(OpenClKinds.MEM, c.index()));
          case SAMPLER -> set(c, Long.BYTES, object(OpenClKinds.SAMPLER, c.index()));
          case QUEUE -> set(c, Long.BYTES, object(OpenClKinds.QUEUE, c.index()));
          case LOCAL -> local(c, localBytes(c.value()));
          default -> ClStatus.INVALID_VALUE;
        };
    if (status == ClStatus.SUCCESS) {
      replace(c.kernel(), record, before -> before == c.argument());
    }
    answer.give(status);
  }

  private static int set(OpenClCall.SetArgument c, long size, MemorySegment value) {
    return OpenClLibrary.clSetKernelArg(c.kernel().handle(), c.argument(), size, value);
  }

  private MemorySegment object(io.sluice.remoting.session.ObjectKind kind, int index) {
    return memo.longs(index == 0 ? 0 : context.objects().get(kind, index).handle());
  }

  /**
   * Some libraries find out that there is not so much when the kernel runs, and end the process.
   */
  private int local(OpenClCall.SetArgument c, long bytes) {
    return bytes <= 0 || bytes > mostLocalBytes
        ? ClStatus.INVALID_ARG_SIZE
        : set(c, bytes, MemorySegment.NULL);
  }

  private static long localBytes(byte[] value) {
    return value.length == Long.BYTES
        ? java.nio.ByteBuffer.wrap(value).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong()
        : 0;
  }

  /** Of an argument the latest value counts. */
  private static void replace(SessionObject kernel, CallRecord record, IntPredicate same) {
    kernel.changes().removeIf(change -> same.test(argument(change)));
    kernel.changes().add(record);
  }

  /** The argument of a setArgument: the second of its parameters. */
  private static int argument(CallRecord record) {
    return java.nio.ByteBuffer.wrap(record.message())
        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
        .getInt(24);
  }
}
