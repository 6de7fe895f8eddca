package io.sluice.remoting.opencl;

import io.sluice.abi.Errno;
import io.sluice.remoting.opencl.names.ImageNames;
import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Objects that are made again of the messages that made them first. What a message left in the
 * application's memory comes as a payload; contents come later.
 */
final class Remaking {
  private static final int MOST_DEVICES = 64;

  private final Memo memo;
  private final Objects objects;
  private final Memory memory;
  private final Programs programs;
  private final Kernels kernels;
  private final Events events;

  Remaking(
      Memo memo,
      Objects objects,
      Memory memory,
      Programs programs,
      Kernels kernels,
      Events events) {
    this.memo = memo;
    this.objects = objects;
    this.memory = memory;
    this.programs = programs;
    this.kernels = kernels;
    this.events = events;
  }

  /** The status that a call answers, once it does. */
  static final class CallStatus implements Answer {
    private int status = ClStatus.OUT_OF_RESOURCES;

    @Override
    public boolean isWaitedFor() {
      return true;
    }

    @Override
    public void give(int given, long... values) {
      status = given;
    }

    int status() {
      return status;
    }
  }

  /**
   * Makes objects.
   *
   * @param call that made them first
   * @param record of it
   * @param sameLibrary whether binaries of the host that made them first are understood here
   * @param answer may be given later, when works are finished
   * @return why they cannot be made; empty if the answer says
   */
  String make(
      OpenClCall call, CallRecord record, byte[] payload, boolean sameLibrary, Answer answer) {
    memo.clear();
    MemorySegment extra = MemorySegment.ofArray(payload);
    switch (call) {
      case OpenClCall.CreateSubDevices c ->
          objects.createSubDevices(
              new OpenClCall.CreateSubDevices(c.parent(), c.properties(), extra), record, answer);
      case OpenClCall.CreateContext c -> objects.createContext(c, record, answer);
      case OpenClCall.CreateQueue c -> {
        if (!QueueOrder.isOfHost(c.properties())) {
          return "is a queue with properties that no queue of a host has";
        }
        if (!Objects.orderOf(c).isHadBy(memo, c.device().handle())) {
          return "is an out-of-order queue, and the device has none";
        }
        objects.createQueue(c, record, answer);
      }
      case OpenClCall.CreateSampler c -> objects.createSampler(c, record, answer);
      case OpenClCall.CreateBuffer c ->
          memory.createBuffer(
              new OpenClCall.CreateBuffer(
                  c.mem(), c.context(), c.flags(), c.size(), MemorySegment.NULL),
              record,
              answer);
      case OpenClCall.CreateMappedBuffer c -> memory.createMappedBuffer(c, record, answer);
      case OpenClCall.CreateSubBuffer c -> memory.createSubBuffer(c, record, answer);
      case OpenClCall.CreateImage c -> memory.createImage(withoutContent(c), record, answer);
      case OpenClCall.CreateProgram c ->
          programs.create(
              new OpenClCall.CreateProgram(c.program(), c.context(), extra), record, answer);
      case OpenClCall.CreateProgramWithBuiltIns c -> programs.createWithBuiltIns(c, record, answer);
      case OpenClCall.CreateProgramWithBinaries c -> {
        if (!sameLibrary) {
          return "is made of binaries of another implementation";
        }
        programs.createWithBinaries(withBinaries(c, payload), record, answer);
      }
      case OpenClCall.CreateProgramWithIl c ->
          programs.createWithIl(
              new OpenClCall.CreateProgramWithIl(c.program(), c.context(), extra), record, answer);
      case OpenClCall.LinkProgram c -> programs.link(c, record, answer);
      case OpenClCall.CreateKernel c -> kernels.create(c, record, answer);
      case OpenClCall.CloneKernel c -> kernels.copy(c, record, answer);
      case OpenClCall.CreateUserEvent c -> events.createUser(c, record, answer);
      default ->
          throw new ProtocolException(
              Errno.EPROTO, "call makes nothing, number=" + record.number());
    }
    return "";
  }

  /** What a call makes, for people: what of it an implementation may not have. */
  static String made(OpenClCall call) {
    return switch (call) {
      case OpenClCall.CreateBuffer c -> "a buffer of " + c.size() + " bytes";
      case OpenClCall.CreateMappedBuffer c ->
          "a buffer in the application's memory of " + c.storage().byteSize() + " bytes";
      case OpenClCall.CreateSubBuffer c ->
          "a part of " + c.parent() + " of " + c.size() + " bytes from " + c.origin() + " on";
      case OpenClCall.CreateImage c -> ImageNames.image(c.order(), c.type(), c.shape());
      case OpenClCall.CreateProgram _ -> "a program of source";
      case OpenClCall.CreateProgramWithBinaries _ -> "a program of binaries";
      case OpenClCall.CreateProgramWithIl _ -> "a program of IL";
      case OpenClCall.CreateProgramWithBuiltIns _ -> "a program of built-in kernels";
      case OpenClCall.LinkProgram _ -> "a program that is linked";
      case OpenClCall.CreateKernel c -> "a kernel of " + c.program();
      case OpenClCall.CloneKernel c -> "a copy of " + c.source();
      case OpenClCall.CreateSubDevices c -> "a part of " + c.parent();
      default -> "an object of its kind";
    };
  }

  /** Changes an object; the answer may be given later. */
  void change(int number, CallReader in, Answer answer) {
    memo.clear();
    OpenClCall call = OpenClCall.decode(number, in);
    in.end();
    CallRecord record = in.record();
    switch (call) {
      case OpenClCall.BuildProgram c -> programs.build(c, record, answer);
      case OpenClCall.CompileProgram c -> programs.compile(c, record, answer);
      case OpenClCall.SetConstant c -> programs.setConstant(c, record, answer);
      case OpenClCall.SetArgument c -> kernels.setArgument(c, record, answer);
      default ->
          throw new ProtocolException(Errno.EPROTO, "call changes nothing, number=" + number);
    }
  }

  /** The pitches were those of the application's memory. */
  private static OpenClCall.CreateImage withoutContent(OpenClCall.CreateImage c) {
    long[] shape = c.shape().clone();
    if (shape.length == 7 && c.parent() == null) {
      Arrays.fill(shape, 5, 7, 0);
    }
    return new OpenClCall.CreateImage(
        c.mem(),
        c.context(),
        c.flags(),
        c.order(),
        c.type(),
        shape,
        c.parent(),
        MemorySegment.NULL);
  }

  /** The binaries of a payload: u32 how many, u64 bytes of each, then one behind the other. */
  private static OpenClCall.CreateProgramWithBinaries withBinaries(
      OpenClCall.CreateProgramWithBinaries c, byte[] payload) {
    try {
      ByteBuffer fields = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
      int count = fields.getInt();
      if (count < 1 || count > MOST_DEVICES) {
        throw new ProtocolException(Errno.EPROTO, "binaries are none or too many, count=" + count);
      }
      long[] sizes = new long[count];
      for (int i = 0; i < count; i++) {
        sizes[i] = fields.getLong();
      }
      return new OpenClCall.CreateProgramWithBinaries(
          c.program(),
          c.context(),
          c.devices(),
          sizes,
          MemorySegment.ofArray(payload).asSlice(fields.position()),
          MemorySegment.ofArray(new byte[Integer.BYTES * count]));
    } catch (BufferUnderflowException _) {
      throw new ProtocolException(Errno.EPROTO, "binaries end too soon, bytes=" + payload.length);
    }
  }
}
