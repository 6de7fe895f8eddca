package io.sluice.remoting.opencl;

import io.sluice.abi.Errno;
import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.OpenCall;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

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
    added(c.kernel(), handle, c.program(), record, Objects.error(error), answer);
  }

  /**
   * What the arguments are is kept: a value where the library expects an object would be an address
   * of the application's choice.
   */
  private void added(
      int index, long handle, SessionObject program, CallRecord record, int status, Answer answer) {
    if (handle == 0) {
      answer.give(status);
      return;
    }
    int[] arguments = new int[argumentCount(handle)];
    boolean[] written = new boolean[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      memo.clear();
      arguments[i] = what(handle, i, typeName(handle, i));
      written[i] = mayBeWritten(handle, i);
    }
    SessionObject _ =
        context
            .objects()
            .add(OpenClKinds.KERNEL, index, handle, record)
            .attach(
                new Expected(
                    program,
                    arguments,
                    written,
                    new SessionObject[arguments.length],
                    new KernelPace()));
    Programs.hold(program);
    answer.give(status, arguments.length, Programs.print(program) ? 1 : 0);
  }

  /**
   * The kinds of a kernel's arguments, by their index; 0 where the library does not say. Which of
   * them the kernel may write: a pointer to const too, since C lets it be cast. What each is now,
   * if that is memory or a sampler. How long it takes.
   */
  private record Expected(
      SessionObject program,
      int[] arguments,
      boolean[] written,
      @Nullable SessionObject[] objects,
      KernelPace pace) {
    /**
     * The error of giving an argument as something else, or success.
     *
     * @param isAddress whether a number could be an address of this process
     */
    int check(OpenClCall.SetArgument c, LongPredicate isAddress) {
      if (c.argument() < 0 || c.argument() >= arguments.length) {
        return ClStatus.INVALID_ARG_INDEX;
      }
      int what = arguments[c.argument()];
      boolean fits = what == 0 ? !isAnAddress(c, isAddress) : what == c.what();
      return fits ? ClStatus.SUCCESS : ClStatus.INVALID_ARG_VALUE;
    }

    /** Whether a value would be something of this process' if the library took it for an object. */
    private static boolean isAnAddress(OpenClCall.SetArgument c, LongPredicate isAddress) {
      return c.what() == VALUE && c.value().length == Long.BYTES && isAddress.test(number(c));
    }
  }

  /** A copy has the arguments that its source has now. */
  void copy(OpenClCall.CloneKernel c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle = OpenClLibrary.clCloneKernel(c.source().handle(), error);
    added(c.kernel(), handle, programOf(c.source()), record, Objects.error(error), answer);
    if (handle == 0) {
      return;
    }
    SessionObject copy = context.objects().get(OpenClKinds.KERNEL, c.kernel());
    for (CallRecord change : c.source().changes()) {
      copy.changes().add(change.of(copy, context.objects().nextSerial()));
    }
    @Nullable SessionObject[] given = c.source().attachment(Expected.class).objects();
    System.arraycopy(given, 0, copy.attachment(Expected.class).objects(), 0, given.length);
  }

  /** The program of a kernel. */
  static SessionObject programOf(SessionObject kernel) {
    return kernel.attachment(Expected.class).program();
  }

  /** How long a kernel takes. */
  static KernelPace paceOf(SessionObject kernel) {
    return kernel.attachment(Expected.class).pace();
  }

  /** A kernel is gone. */
  static void forget(SessionObject kernel) {
    Programs.releaseAncestor(programOf(kernel));
  }

  /** Notes what a launch of a kernel may write. */
  static void writes(SessionObject kernel, Touched touched) {
    Expected expected = kernel.attachment(Expected.class);
    for (int i = 0; i < expected.objects().length; i++) {
      SessionObject object = expected.objects()[i];
      if (object != null && object.kind() == OpenClKinds.MEM && expected.written()[i]) {
        touched.write(object);
      }
    }
  }

  /** The samplers that a launch of a kernel uses; those that are gone not, which no launch may. */
  static List<SessionObject> samplers(SessionObject kernel) {
    List<SessionObject> all = new ArrayList<>();
    for (SessionObject object : kernel.attachment(Expected.class).objects()) {
      if (object != null && object.kind() == OpenClKinds.SAMPLER && !object.isLost()) {
        all.add(object);
      }
    }
    return all;
  }

  /** A kernel's arguments as they are now, but for those whose objects are gone. */
  static List<OpenCall.Change> arguments(SessionObject kernel) {
    return kernel.changes().stream()
        .filter(Kernels::isThere)
        .map(change -> new OpenCall.Change(kernel, change))
        .toList();
  }

  /** Whether what an argument names is there still. */
  static boolean isThere(CallRecord argument) {
    return argument.named().stream().skip(1).noneMatch(SessionObject::isLost);
  }

  private boolean mayBeWritten(long kernel, int index) {
    boolean isConstant =
        argument(kernel, index, ClParam.KERNEL_ARG_ADDRESS_QUALIFIER)
            == ClParam.ARG_ADDRESS_CONSTANT;
    boolean isReadOnly =
        argument(kernel, index, ClParam.KERNEL_ARG_ACCESS_QUALIFIER)
            == ClParam.ARG_ACCESS_READ_ONLY;
    return !isConstant && !isReadOnly;
  }

  private int argument(long kernel, int index, int param) {
    MemorySegment out = memo.bytes(Integer.BYTES);
    int status =
        OpenClLibrary.clGetKernelArgInfo(
            kernel, index, param, Integer.BYTES, out, MemorySegment.NULL);
    return status == ClStatus.SUCCESS ? out.get(ValueLayout.JAVA_INT, 0) : 0;
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
    int refused = c.kernel().attachment(Expected.class).check(c, context::mayBeAnAddress);
    if (refused != ClStatus.SUCCESS) {
      answer.give(refused);
      return;
    }
    SessionObject named = named(c, record);
    MemorySegment handle = memo.longs(named == null ? 0 : named.handle());
    int status =
        switch (c.what()) {
          case VALUE -> set(c, c.value().length, memo.copy(c.value()));
          case MEMORY, SAMPLER, QUEUE -> set(c, Long.BYTES, handle);
          case LOCAL -> local(c, localBytes(c));
          default -> ClStatus.INVALID_VALUE;
        };
    if (status == ClStatus.SUCCESS) {
      CallRecord whole =
          record.named().size() == 1 && named != null ? record.naming(List.of(named)) : record;
      replace(c.kernel(), whole, before -> before == c.argument());
      boolean matters = c.what() == MEMORY || c.what() == SAMPLER;
      c.kernel().attachment(Expected.class).objects()[c.argument()] = matters ? named : null;
    }
    answer.give(status);
  }

  /** The object of an argument: by its number, or as a record that is read again names it. */
  private @Nullable SessionObject named(OpenClCall.SetArgument c, CallRecord record) {
    ObjectKind kind =
        switch (c.what()) {
          case MEMORY -> OpenClKinds.MEM;
          case SAMPLER -> OpenClKinds.SAMPLER;
          case QUEUE -> OpenClKinds.QUEUE;
          default -> null;
        };
    if (kind == null || c.index() == 0) {
      return null;
    }
    SessionObject object =
        record.named().size() > 1 ? record.named().get(1) : context.objects().get(kind, c.index());
    if (object.kind() != kind) {
      throw new ProtocolException(Errno.EPROTO, "an argument is of another kind, object=" + object);
    }
    return object;
  }

  private static int set(OpenClCall.SetArgument c, long size, MemorySegment value) {
    return OpenClLibrary.clSetKernelArg(c.kernel().handle(), c.argument(), size, value);
  }

  /**
   * Some libraries find out that there is not so much when the kernel runs, and end the process.
   */
  private int local(OpenClCall.SetArgument c, long bytes) {
    return bytes <= 0 || bytes > mostLocalBytes
        ? ClStatus.INVALID_ARG_SIZE
        : set(c, bytes, MemorySegment.NULL);
  }

  private static long localBytes(OpenClCall.SetArgument c) {
    return c.value().length == Long.BYTES ? number(c) : 0;
  }

  /** The number that a value of eight bytes is. */
  private static long number(OpenClCall.SetArgument c) {
    return java.nio.ByteBuffer.wrap(c.value()).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong();
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
