package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.remoting.opencl.ClContents.OwnQueue;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.ObjectTable;
import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contents that are read and written together, by this host's OpenCL; skipped where it is not. */
final class ClContentsTest {
  private static final int PIECE = 64 << 10;
  private static final int EVENT_REFERENCE_COUNT = 0x11d2; // CL/cl.h, as those below
  private static final int IMAGE_3D = 0x10f2;
  private static final int RGBA = 0x10b5;
  private static final int UNSIGNED_INT8 = 0x10da;

  private final Arena arena = Arena.ofConfined();
  private final ObjectTable objects = new ObjectTable(OpenClKinds.ALL);
  private final ClContents contents = new ClContents();
  private long deviceHandle;
  private SessionObject device;
  private SessionObject context;

  @BeforeEach
  void start() {
    deviceHandle = device();
    device = objects.add(OpenClKinds.DEVICE, 1, deviceHandle, CallRecord.NONE);
    context = context(1);
  }

  @AfterEach
  void stop() {
    contents.close();
    objects.all(OpenClKinds.MEM).forEach(Retained::release);
    objects.all(OpenClKinds.CONTEXT).forEach(Retained::release);
    arena.close();
  }

  private static long device() {
    try {
      return HostDevices.find().platforms().stream()
          .flatMap(platform -> platform.devices().stream())
          .findFirst()
          .orElseGet(ClContentsTest::none);
    } catch (ExceptionInInitializerError | NoClassDefFoundError _) { // there is no libOpenCL
      return none();
    }
  }

  private static long none() {
    return abort("this host has no device of OpenCL");
  }

  private static CallRecord madeOf(SessionObject of) {
    return new CallRecord(0, new byte[0], List.of(of), 0, 0);
  }

  private SessionObject context(int index) {
    MemorySegment devices = arena.allocateFrom(ValueLayout.JAVA_LONG, deviceHandle);
    long handle =
        OpenClLibrary.clCreateContext(
            MemorySegment.NULL, 1, devices, MemorySegment.NULL, MemorySegment.NULL, error());
    assertThat(handle).isNotZero();
    return objects.add(OpenClKinds.CONTEXT, index, handle, madeOf(device));
  }

  private MemorySegment error() {
    return arena.allocate(ValueLayout.JAVA_INT);
  }

  /** Buffers of a context, which say that they have other bytes than they have. */
  private SessionObject buffer(SessionObject of, long bytes, long said) {
    long handle = OpenClLibrary.clCreateBuffer(of.handle(), 0, bytes, MemorySegment.NULL, error());
    assertThat(handle).isNotZero();
    int index = objects.count(OpenClKinds.MEM) + 1;
    return objects
        .add(OpenClKinds.MEM, index, handle, madeOf(of))
        .attach(new Memory.LibraryBuffer(said));
  }

  private SessionObject buffer(SessionObject of, long bytes) {
    return buffer(of, bytes, bytes);
  }

  private MemorySegment filled(long bytes, int value) {
    return arena.allocate(bytes).fill((byte) value);
  }

  private byte[] read(SessionObject object, long position, long bytes) throws Exception {
    MemorySegment into = filled(bytes, 99);
    contents.read(object, position, into);
    contents.await();
    return into.toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void read_thatTheLibraryRefuses_endsThoseBefore() throws Exception {
    SessionObject good = buffer(context, 64);
    SessionObject other = buffer(context(2), 64);
    SessionObject bad = buffer(context, 64, 128);
    contents.write(good, 0, filled(64, 1));
    contents.write(other, 0, filled(64, 2));
    contents.await();
    MemorySegment into = filled(64, 99);
    MemorySegment intoOther = filled(64, 99);
    contents.read(good, 0, into);
    contents.read(other, 0, intoOther);

    assertThatThrownBy(() -> contents.read(bad, 64, filled(64, 99)))
        .isInstanceOf(UnmovableException.class)
        .hasMessageContaining(bad + " has contents that cannot be moved, CL_INVALID_VALUE");

    assertThat(into.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1); // nobody waited for it
    assertThat(intoOther.toArray(ValueLayout.JAVA_BYTE)).containsOnly(2);
    contents.await();
    assertThat(read(good, 0, 64)).containsOnly(1);
  }

  @Test
  void write_thatTheLibraryRefuses_leavesTheOthers() throws Exception {
    SessionObject first = buffer(context, 64);
    SessionObject bad = buffer(context, 64, 128);
    SessionObject last = buffer(context, 64);
    contents.write(first, 0, filled(64, 1));

    assertThatThrownBy(() -> contents.write(bad, 64, filled(64, 2)))
        .isInstanceOf(UnmovableException.class);
    contents.write(last, 0, filled(64, 3));
    contents.await();

    assertThat(read(first, 0, 64)).containsOnly(1);
    assertThat(read(last, 0, 64)).containsOnly(3);
  }

  @Test
  void command_thatFailsWhenItRuns_isToldByItsObjectAndItsEventReleased() throws Exception {
    SessionObject good = buffer(context, 64);
    SessionObject bad = buffer(context, 64);
    SessionObject alsoBad = buffer(context, 64);
    OwnQueue queue = queue();
    long[] failures = {failure(-5), failure(-14)};
    MemorySegment into = filled(64, 99);

    assertThat(queue.buffer(good, 0, into, false)).isZero();
    queue.nextEvent().set(ValueLayout.JAVA_LONG, 0, failures[0]);
    assertThat(queue.noted(bad, ClStatus.SUCCESS)).isZero();
    queue.nextEvent().set(ValueLayout.JAVA_LONG, 0, failures[1]);
    assertThat(queue.noted(alsoBad, ClStatus.SUCCESS)).isZero();

    assertThatThrownBy(queue::await)
        .isInstanceOf(UnmovableException.class)
        .hasMessageContaining(bad + " has contents that cannot be moved, CL_OUT_OF_RESOURCES");
    for (long event : failures) {
      assertThat(references(event)).isEqualTo(1); // the test's
      assertThat(OpenClLibrary.clReleaseEvent(event)).isZero();
    }
    queue.await(); // nothing of it is left
    queue.close();
  }

  @Test
  void queue_thatIsClosedWithWhatFailed_releasesItsEvents() {
    OwnQueue queue = queue();
    long failure = failure(-5);
    queue.nextEvent().set(ValueLayout.JAVA_LONG, 0, failure);
    assertThat(queue.noted(buffer(context, 64), ClStatus.SUCCESS)).isZero();

    queue.close();

    assertThat(references(failure)).isEqualTo(1);
    assertThat(OpenClLibrary.clReleaseEvent(failure)).isZero();
  }

  private OwnQueue queue() {
    return new OwnQueue(
        OpenClLibrary.clCreateCommandQueueWithProperties(
            context.handle(), device.handle(), MemorySegment.NULL, error()),
        arena);
  }

  /** An event of a command that has failed, which the test holds, too. */
  private long failure(int status) {
    long event = OpenClLibrary.clCreateUserEvent(context.handle(), error());
    assertThat(OpenClLibrary.clSetUserEventStatus(event, status)).isZero();
    assertThat(OpenClLibrary.clRetainEvent(event)).isZero();
    return event;
  }

  private int references(long event) {
    MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
    assertThat(
            OpenClLibrary.clGetEventInfo(
                event, EVENT_REFERENCE_COUNT, Integer.BYTES, count, MemorySegment.NULL))
        .isZero();
    return count.get(ValueLayout.JAVA_INT, 0);
  }

  @Test
  void pieceOfMoreThanTheRoom_isRefused() {
    SessionObject large = buffer(context, 5 << 20);

    assertThatThrownBy(() -> contents.write(large, 0, filled(5 << 20, 1)))
        .isInstanceOf(UnmovableException.class);
  }

  @Test
  void writesOfMoreThanTheRoom_areAllThere() throws Exception {
    int pieces = (9 << 20) / PIECE;
    SessionObject large = buffer(context, (long) pieces * PIECE);
    for (int i = 0; i < pieces; i++) {
      contents.write(large, (long) i * PIECE, filled(PIECE, i));
    }
    contents.await();

    for (int i = 0; i < pieces; i++) {
      assertThat(read(large, (long) i * PIECE, PIECE)).as("piece %s", i).containsOnly(i);
    }
  }

  @Test
  void moreThanAreWaitedForTogether_ofTwoContexts_areAllThere() throws Exception {
    List<SessionObject> contexts = List.of(context, context(2));
    List<SessionObject> small = new ArrayList<>();
    List<MemorySegment> read = new ArrayList<>();
    for (int i = 0; i < 2 * OwnQueue.MOST + 100; i++) {
      small.add(buffer(contexts.get(i % 3 / 2), 16));
      contents.write(small.getLast(), 0, filled(16, i));
    }
    contents.await();
    for (SessionObject object : small) {
      read.add(filled(16, 99));
      contents.read(object, 0, read.getLast());
    }
    contents.await();

    for (int i = 0; i < small.size(); i++) {
      assertThat(read.get(i).toArray(ValueLayout.JAVA_BYTE)).containsOnly(i);
    }
  }

  @Test
  void imageOfMoreSlicesThanAreWaitedForTogether_isAllThere() throws Exception {
    int slices = OwnQueue.MOST + 50;
    MemorySegment format = arena.allocateFrom(ValueLayout.JAVA_INT, RGBA, UNSIGNED_INT8);
    MemorySegment desc = arena.allocate(72, Long.BYTES);
    long[] shape = {IMAGE_3D, 1, 1, slices, 0, 0, 0};
    desc.set(ValueLayout.JAVA_INT, 0, IMAGE_3D);
    for (int i = 1; i < shape.length; i++) {
      desc.set(ValueLayout.JAVA_LONG, 8L * i, shape[i]);
    }
    long handle =
        OpenClLibrary.clCreateImage(context.handle(), 0, format, desc, MemorySegment.NULL, error());
    assumeTrue(handle != 0, "this host's OpenCL has no such images");
    SessionObject image =
        objects
            .add(OpenClKinds.MEM, 1, handle, madeOf(context))
            .attach(new Memory.ImageShape(IMAGE_3D, 4, shape));
    MemorySegment all = arena.allocate(4L * slices);
    for (int i = 0; i < slices; i++) {
      all.setAtIndex(ValueLayout.JAVA_INT, i, i);
    }
    SessionObject before = buffer(context, 16);
    contents.write(before, 0, filled(16, 1));
    contents.write(image, 0, all);
    contents.write(before, 0, filled(16, 2));
    contents.await();

    assertThat(read(image, 0, 4L * slices)).isEqualTo(all.toArray(ValueLayout.JAVA_BYTE));
    assertThat(read(before, 0, 16)).containsOnly(2);
  }
}
