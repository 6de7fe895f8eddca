package io.sluice.remoting.opencl;

import io.sluice.remoting.opencl.names.StatusNames;
import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The data that it takes, besides its message, to make an object again; of the library. */
final class Payloads {
  // Numbers of calls; api-remoting/spec/opencl.calls.
  private static final int CREATE_SUB_DEVICES = 4;
  private static final int CREATE_PROGRAM = 20;
  static final int CREATE_PROGRAM_WITH_BINARIES = 21;
  static final int CREATE_PROGRAM_WITH_IL = 22;

  /** Most bytes of it; beyond, nothing is asked for. */
  private static final int MOST_BYTES = 64 << 20;

  private Payloads() {}

  static byte[] of(SessionObject object) throws UnmovableException {
    return switch (object.creation().number()) {
      case CREATE_SUB_DEVICES -> siblings(object);
      case CREATE_PROGRAM -> ofProgram(object, ClParam.PROGRAM_SOURCE);
      case CREATE_PROGRAM_WITH_BINARIES -> binaries(object);
      case CREATE_PROGRAM_WITH_IL -> ofProgram(object, ClParam.PROGRAM_IL);
      default -> new byte[0];
    };
  }

  /** The indices of all devices that one call made. */
  private static byte[] siblings(SessionObject device) {
    List<SessionObject> all = device.attachment(Objects.DeviceOrigin.class).siblings();
    ByteBuffer indices =
        ByteBuffer.allocate(Integer.BYTES * all.size()).order(ByteOrder.LITTLE_ENDIAN);
    all.forEach(sibling -> indices.putInt(sibling.index()));
    return indices.array();
  }

  private static void requireThere(SessionObject program) throws UnmovableException {
    if (program.isLost() && !program.attachment(Programs.Ancestry.class).isRetained()) {
      throw new UnmovableException(List.of(program + " was released, and others were made of it"));
    }
  }

  private static byte[] ofProgram(SessionObject program, int param) throws UnmovableException {
    requireThere(program);
    byte[] bytes = info(program, param);
    // A source ends in a 0 that the program's author did not write.
    boolean isText = param == ClParam.PROGRAM_SOURCE && bytes.length > 0;
    return isText && bytes[bytes.length - 1] == 0
        ? java.util.Arrays.copyOf(bytes, bytes.length - 1)
        : bytes;
  }

  private static byte[] info(SessionObject program, int param) throws UnmovableException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
      int status =
          OpenClLibrary.clGetProgramInfo(program.handle(), param, 0, MemorySegment.NULL, size);
      long bytes = size.get(ValueLayout.JAVA_LONG, 0);
      if (status != ClStatus.SUCCESS) {
        throw unreadable(program, StatusNames.of(status));
      }
      if (bytes < 0 || bytes > MOST_BYTES) {
        throw unreadable(program, "bytes=" + bytes);
      }
      MemorySegment out = arena.allocate(Math.max(1, bytes));
      status =
          OpenClLibrary.clGetProgramInfo(program.handle(), param, bytes, out, MemorySegment.NULL);
      if (status != ClStatus.SUCCESS) {
        throw unreadable(program, StatusNames.of(status));
      }
      return out.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static UnmovableException unreadable(SessionObject program, String why) {
    String what =
        switch (program.creation().number()) {
          case CREATE_PROGRAM_WITH_BINARIES -> "the binaries";
          case CREATE_PROGRAM_WITH_IL -> "the IL";
          default -> "the source";
        };
    return new UnmovableException(List.of(program + ": " + what + " cannot be had, " + why));
  }

  private static byte[] binaries(SessionObject program) throws UnmovableException {
    byte[] given = Programs.givenBinaries(program);
    if (given.length > 0) {
      return given;
    }
    requireThere(program);
    ByteBuffer fields =
        ByteBuffer.wrap(info(program, ClParam.PROGRAM_BINARY_SIZES)).order(ByteOrder.LITTLE_ENDIAN);
    long[] sizes = new long[fields.remaining() / Long.BYTES];
    if (sizes.length == 0) {
      throw unreadable(program, "there are none");
    }
    long total = 0;
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = fields.getLong();
      if (sizes[i] <= 0 || sizes[i] > MOST_BYTES - total) {
        throw unreadable(program, "bytes=" + sizes[i]);
      }
      total += sizes[i];
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(total);
      MemorySegment places = arena.allocate(ValueLayout.JAVA_LONG, sizes.length);
      long at = all.address();
      for (int i = 0; i < sizes.length; i++) {
        places.setAtIndex(ValueLayout.JAVA_LONG, i, at);
        at += sizes[i];
      }
      int status =
          OpenClLibrary.clGetProgramInfo(
              program.handle(),
              ClParam.PROGRAM_BINARIES,
              places.byteSize(),
              places,
              MemorySegment.NULL);
      if (status != ClStatus.SUCCESS) {
        throw unreadable(program, StatusNames.of(status));
      }
      return ofBinaries(sizes, all);
    }
  }

  /**
   * That of binaries: u32 how many, u64 bytes of each, then one behind the other.
   *
   * @param all of them, one behind the other
   */
  static byte[] ofBinaries(long[] sizes, MemorySegment all) {
    ByteBuffer payload =
        ByteBuffer.allocate((int) (Integer.BYTES + all.byteSize()) + Long.BYTES * sizes.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(sizes.length);
    for (long size : sizes) {
      payload.putLong(size);
    }
    return payload.put(all.toArray(ValueLayout.JAVA_BYTE)).array();
  }
}
