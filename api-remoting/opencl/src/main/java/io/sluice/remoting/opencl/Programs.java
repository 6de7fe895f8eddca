package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.StateCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Programs. Sources and binaries are copied before the library reads them. What builds runs on
 * another thread, since it takes as long as a compiler does; the program is retained meanwhile.
 */
final class Programs {
  /** What applications' kernels are asked about needs it. */
  private static final String ARGUMENT_INFO = "-cl-kernel-arg-info";

  private static final MemorySegment PRINTF =
      MemorySegment.ofArray("printf".getBytes(StandardCharsets.US_ASCII));

  /** What a build answers that was not begun: the program is as it was. */
  private static final Set<Integer> REFUSALS =
      Set.of(
          ClStatus.INVALID_VALUE,
          ClStatus.INVALID_DEVICE,
          ClStatus.INVALID_PROGRAM,
          ClStatus.INVALID_OPERATION);

  /** Numbers of the calls that have a compiler work; api-remoting/spec/opencl.calls. */
  private static final Set<Integer> COMPILING = Set.of(24, 25, 26);

  /** Most bytes of a program's binaries that are kept; more are not sent when the session moves. */
  private static final int MOST_KEPT = StateCodec.PAYLOAD_BYTES / 2;

  /** While a session has more programs of binaries than these, none is kept: they are heap. */
  private static final int MOST_KEEPING = 16;

  private static final byte[] NONE = {};

  private final SessionContext context;
  private final Memo memo;
  private final AtomicInteger ofBinaries = new AtomicInteger(); // others look at them
  private final AtomicInteger ofIl = new AtomicInteger();

  Programs(SessionContext context, Memo memo) {
    this.context = context;
    this.memo = memo;
  }

  /**
   * The programs that another was compiled or linked of, which are retained as long as it is there:
   * it cannot be made again without them. And who retains this one.
   */
  static final class Ancestry {
    private final List<SessionObject> headers = new ArrayList<>();
    private final List<SessionObject> inputs = new ArrayList<>();
    private @Nullable AtomicInteger counted; // a count that it is in
    private byte[] given = NONE; // binaries that are not built yet: some libraries keep them
    private boolean prints;
    private boolean released;
    private int retained;

    /** Whether the program is another's ancestor, which keeps its handle alive. */
    boolean isRetained() {
      return retained > 0;
    }

    /** Counts it among others until neither the application nor anything made of it needs it. */
    private void count(@Nullable AtomicInteger among) {
      counted = among;
      if (among != null) {
        int _ = among.incrementAndGet();
      }
    }

    private void settle() {
      AtomicInteger among = counted;
      if (released && retained == 0 && among != null) {
        int _ = among.decrementAndGet();
        counted = null;
      }
    }
  }

  private void added(
      int index, long handle, CallRecord record, boolean prints, int status, Answer answer) {
    if (handle != 0) {
      Ancestry ancestry = new Ancestry();
      ancestry.prints = prints;
      ancestry.count(countOf(record));
      SessionObject _ =
          context.objects().add(OpenClKinds.PROGRAM, index, handle, record).attach(ancestry);
      adopt(ancestry, ancestry.inputs, programs(record));
    }
    answer.give(status, handle == 0 ? 0 : 1);
  }

  private @Nullable AtomicInteger countOf(CallRecord creation) {
    return switch (creation.number()) {
      case Payloads.CREATE_PROGRAM_WITH_BINARIES -> ofBinaries;
      case Payloads.CREATE_PROGRAM_WITH_IL -> ofIl;
      default -> null;
    };
  }

  /** How many there are of binaries, which are their implementation's; a look from any thread. */
  int ofBinaries() {
    return ofBinaries.get();
  }

  /** How many there are of IL, which not every device takes; a look from any thread. */
  int ofIl() {
    return ofIl.get();
  }

  private static List<SessionObject> programs(CallRecord record) {
    return record.named().stream().filter(object -> object.kind() == OpenClKinds.PROGRAM).toList();
  }

  private static void adopt(
      Ancestry ancestry, List<SessionObject> ancestors, List<SessionObject> programs) {
    releaseAll(ancestors);
    programs.forEach(Programs::hold);
    ancestors.addAll(programs);
    ancestry.prints |= programs.stream().anyMatch(Programs::print);
  }

  /**
   * The binaries that a program was made of, while it is not built, as a payload has them; empty
   * for none that are kept.
   */
  static byte[] givenBinaries(SessionObject program) {
    return program.attachment(Ancestry.class).given;
  }

  /** Whether a program's kernels may print, as far as its text says. */
  static boolean print(SessionObject program) {
    return program.attachment(Ancestry.class).prints;
  }

  /** Whether a source, binary or option has the function's name. */
  private static boolean print(MemorySegment text) {
    for (long at = 0; at <= text.byteSize() - PRINTF.byteSize(); at++) {
      if (text.get(ValueLayout.JAVA_BYTE, at) == PRINTF.get(ValueLayout.JAVA_BYTE, 0)
          && text.asSlice(at, PRINTF.byteSize()).mismatch(PRINTF) < 0) {
        return true;
      }
    }
    return false;
  }

  private static void releaseAll(List<SessionObject> ancestors) {
    ancestors.forEach(Programs::releaseAncestor);
    ancestors.clear();
  }

  /** Something was made of a program that cannot be made again without it. */
  static void hold(SessionObject program) {
    Retained.retain(program);
    program.attachment(Ancestry.class).retained++;
  }

  /** Something that was made of a program is gone. */
  static void releaseAncestor(SessionObject program) {
    Ancestry ancestry = program.attachment(Ancestry.class);
    ancestry.retained--;
    ancestry.settle();
    Retained.release(program);
  }

  /** A program is gone: what it was made of may go, too. */
  static void forget(SessionObject program) {
    Ancestry ancestry = program.attachment(Ancestry.class);
    releaseAll(ancestry.headers);
    releaseAll(ancestry.inputs);
    ancestry.released = true;
    ancestry.settle();
  }

  void create(OpenClCall.CreateProgram c, CallRecord record, Answer answer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(c.source().byteSize()).copyFrom(c.source());
      MemorySegment error = memo.bytes(Integer.BYTES);
      long handle =
          OpenClLibrary.clCreateProgramWithSource(
              c.context().handle(),
              1,
              memo.longs(source.address()),
              memo.longs(source.byteSize()),
              error);
      added(c.program(), handle, record, print(source), Objects.error(error), answer);
    }
  }

  void createWithBinaries(
      OpenClCall.CreateProgramWithBinaries c, CallRecord record, Answer answer) {
    int count = c.devices().size();
    long total = 0;
    for (long size : c.sizes()) {
      total = size <= 0 || size > c.binaries().byteSize() - total ? Long.MAX_VALUE : total + size;
      if (total == Long.MAX_VALUE) {
        break;
      }
    }
    if (c.sizes().length != count
        || count == 0
        || total > c.binaries().byteSize()
        || c.statuses().byteSize() < 4L * count) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(total).copyFrom(c.binaries().asSlice(0, total));
      long[] places = new long[count];
      long at = all.address();
      for (int i = 0; i < count; i++) {
        places[i] = at;
        at += c.sizes()[i];
      }
      MemorySegment statuses = memo.bytes(4L * count);
      MemorySegment error = memo.bytes(Integer.BYTES);
      long handle =
          OpenClLibrary.clCreateProgramWithBinary(
              c.context().handle(),
              count,
              memo.handles(c.devices()),
              memo.longs(c.sizes()),
              memo.longs(places),
              statuses,
              error);
      MemorySegment.copy(statuses, 0, c.statuses(), 0, 4L * count);
      added(c.program(), handle, record, print(all), Objects.error(error), answer);
      if (handle != 0 && total <= MOST_KEPT && ofBinaries.get() <= MOST_KEEPING) {
        SessionObject program = context.objects().get(OpenClKinds.PROGRAM, c.program());
        program.attachment(Ancestry.class).given = Payloads.ofBinaries(c.sizes(), all);
      }
    }
  }

  void createWithIl(OpenClCall.CreateProgramWithIl c, CallRecord record, Answer answer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment il = arena.allocate(c.il().byteSize()).copyFrom(c.il());
      MemorySegment error = memo.bytes(Integer.BYTES);
      long handle =
          OpenClLibrary.clCreateProgramWithIL(c.context().handle(), il, il.byteSize(), error);
      // In IL the function is a number, which others have, too.
      added(c.program(), handle, record, true, Objects.error(error), answer);
    }
  }

  void createWithBuiltIns(
      OpenClCall.CreateProgramWithBuiltIns c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle =
        OpenClLibrary.clCreateProgramWithBuiltInKernels(
            c.context().handle(),
            c.devices().size(),
            memo.handles(c.devices()),
            memo.string(c.names()),
            error);
    added(c.program(), handle, record, false, Objects.error(error), answer);
  }

  /** Whether a call builds, compiles or links. */
  static boolean takesLong(int number) {
    return COMPILING.contains(number);
  }

  void build(OpenClCall.BuildProgram c, CallRecord record, Answer answer) {
    meanwhile(
        c.program(),
        c.options(),
        record,
        answer,
        arena ->
            OpenClLibrary.clBuildProgram(
                c.program().handle(),
                c.devices().size(),
                handles(arena, c.devices()),
                arena.allocateFrom(options(c.options())),
                MemorySegment.NULL,
                MemorySegment.NULL));
  }

  void compile(OpenClCall.CompileProgram c, CallRecord record, Answer answer) {
    List<String> names = c.names().lines().toList();
    if (names.size() != c.headers().size()) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    meanwhile(
        c.program(),
        c.options(),
        record,
        answer,
        arena -> {
          MemorySegment texts = MemorySegment.NULL;
          if (!names.isEmpty()) {
            texts = arena.allocate(ValueLayout.JAVA_LONG, names.size());
            for (int i = 0; i < names.size(); i++) {
              texts.setAtIndex(
                  ValueLayout.JAVA_LONG, i, arena.allocateFrom(names.get(i)).address());
            }
          }
          return OpenClLibrary.clCompileProgram(
              c.program().handle(),
              c.devices().size(),
              handles(arena, c.devices()),
              arena.allocateFrom(options(c.options())),
              c.headers().size(),
              handles(arena, c.headers()),
              texts,
              MemorySegment.NULL,
              MemorySegment.NULL);
        });
  }

  private void meanwhile(
      SessionObject program,
      String options,
      CallRecord record,
      Answer answer,
      ToIntFunction<Arena> work) {
    boolean print = options.contains("printf");
    Retained retained = Retained.of(record.named());
    context.work(() -> {
      int status;
      try (Arena arena = Arena.ofConfined()) {
        status = work.applyAsInt(arena);
      }
      return () -> {
        if (!REFUSALS.contains(status)) {
          latest(program, record.ledTo(status));
          List<SessionObject> headers = new ArrayList<>(programs(record));
          headers.removeFirst(); // itself
          if (!program.isLost()) {
            Ancestry ancestry = program.attachment(Ancestry.class);
            ancestry.prints |= print;
            ancestry.given = status == ClStatus.SUCCESS ? NONE : ancestry.given;
            adopt(ancestry, ancestry.headers, headers);
          }
        }
        retained.close();
        answer.give(status);
      };
    });
  }

  void link(OpenClCall.LinkProgram c, CallRecord record, Answer answer) {
    context.objects().reserve(OpenClKinds.PROGRAM, c.program());
    Retained retained = Retained.of(record.named());
    context.work(() -> {
      long handle;
      int status;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment error = arena.allocate(ValueLayout.JAVA_INT);
        handle =
            OpenClLibrary.clLinkProgram(
                c.context().handle(),
                c.devices().size(),
                handles(arena, c.devices()),
                arena.allocateFrom(c.options()),
                c.inputs().size(),
                handles(arena, c.inputs()),
                MemorySegment.NULL,
                MemorySegment.NULL,
                error);
        status = Objects.error(error);
      }
      return () -> {
        try (retained) {
          context.objects().unreserve(OpenClKinds.PROGRAM, c.program());
          added(c.program(), handle, record, false, status, answer);
        }
      };
    });
  }

  void setConstant(OpenClCall.SetConstant c, CallRecord record, Answer answer) {
    int status =
        OpenClLibrary.clSetProgramSpecializationConstant(
            c.program().handle(), c.id(), c.value().length, memo.copy(c.value()));
    if (status == ClStatus.SUCCESS) {
      int id = c.id();
      c.program()
          .changes()
          .removeIf(change -> change.number() == record.number() && constant(change) == id);
      c.program().changes().add(record);
    }
    answer.give(status);
  }

  /** Of a program's builds the latest counts, however often it is built. */
  private static void latest(SessionObject program, CallRecord record) {
    program.changes().removeIf(change -> change.number() == record.number());
    program.changes().add(record);
  }

  /** The constant of a setConstant: the second of its parameters. */
  private static int constant(CallRecord record) {
    return ByteBuffer.wrap(record.message()).order(ByteOrder.LITTLE_ENDIAN).getInt(24);
  }

  private static String options(String given) {
    if (given.contains(ARGUMENT_INFO)) {
      return given;
    }
    return given.isEmpty() ? ARGUMENT_INFO : given + " " + ARGUMENT_INFO;
  }

  private static MemorySegment handles(Arena arena, List<SessionObject> objects) {
    if (objects.isEmpty()) {
      return MemorySegment.NULL;
    }
    MemorySegment list = arena.allocate(ValueLayout.JAVA_LONG, objects.size());
    for (int i = 0; i < objects.size(); i++) {
      list.setAtIndex(ValueLayout.JAVA_LONG, i, objects.get(i).handle());
    }
    return list;
  }
}
