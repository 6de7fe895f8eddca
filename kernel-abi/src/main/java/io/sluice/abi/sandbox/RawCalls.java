package io.sluice.abi.sandbox;

import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The C library's {@code syscall}: a process makes these calls once, so none has its own way. */
final class RawCalls {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final ValueLayout LONG = ValueLayout.JAVA_LONG;
  private static final MethodHandle SYSCALL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker()
                  .defaultLookup()
                  .find("syscall")
                  .orElseThrow(() -> new AssertionError("the C library lacks syscall")),
              FunctionDescriptor.of(LONG, LONG, LONG, LONG, LONG, LONG, LONG),
              Linker.Option.captureCallState("errno"),
              Linker.Option.firstVariadicArg(1));

  private RawCalls() {}

  /** The result, or the negative errno. Memory that is pointed to must live until this returns. */
  static long call(SystemCall call, long first, long second, long third, long fourth) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long result =
          (long) SYSCALL.invokeExact(state, (long) call.number(), first, second, third, fourth, 0L);
      return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw a checked exception", t);
    }
  }

  /** The result, unless it is a negative errno. */
  static long check(long result, String call, String arguments) {
    if (result < 0) {
      throw new SyscallException(call, arguments, (int) -result);
    }
    return result;
  }

  /** {@code execve}, with texts that have no zero at their ends. Returns only when it fails. */
  static void execute(byte[] program, List<byte[]> arguments, List<byte[]> environment) {
    try (Arena arena = Arena.ofConfined()) {
      long result =
          call(
              SystemCall.EXECVE,
              text(arena, program).address(),
              texts(arena, arguments).address(),
              texts(arena, environment).address(),
              0);
      check(result, "execve", "program=" + new String(program, StandardCharsets.UTF_8));
    }
  }

  /** The addresses of texts, and a zero behind them. */
  private static MemorySegment texts(Arena arena, List<byte[]> texts) {
    MemorySegment addresses = arena.allocate(8L * (texts.size() + 1), 8);
    for (int i = 0; i < texts.size(); i++) {
      addresses.set(Layouts.U64, 8L * i, text(arena, texts.get(i)).address());
    }
    return addresses;
  }

  private static MemorySegment text(Arena arena, byte[] text) {
    MemorySegment copy = arena.allocate(text.length + 1L); // zeroed
    copy.copyFrom(MemorySegment.ofArray(text));
    return copy;
  }
}
