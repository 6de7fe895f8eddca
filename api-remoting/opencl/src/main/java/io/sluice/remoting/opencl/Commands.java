package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.OpenCall;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands of queues. One that is waited for is answered when it has completed, by {@link
 * Completions}, so that it holds nothing back that comes after it in the ring.
 */
final class Commands {
  private static final int DIMENSIONS = 3;
  private static final long CONTENT_UNDEFINED = 1 << 1; // CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED

  /** What processors move takes longer than to wake and to be woken. */
  private static final long LONG_BYTES = 256 << 10;

  private final Memo memo;
  private final Events events;
  private final Completions completions;
  private final Gates gates;
  private final Touched touched;
  private final DeviceWork work;
  private final AwaitedWrites awaitedWrites;
  private final SamplersInUse samplers;
  private final Prints prints;
  private final DirectCopies direct;

  Commands(
      Memo memo,
      Events events,
      Completions completions,
      Gates gates,
      Touched touched,
      DeviceWork work,
      AwaitedWrites awaitedWrites,
      SamplersInUse samplers,
      Prints prints,
      DirectCopies direct) {
    this.memo = memo;
    this.events = events;
    this.completions = completions;
    this.gates = gates;
    this.touched = touched;
    this.work = work;
    this.awaitedWrites = awaitedWrites;
    this.samplers = samplers;
    this.prints = prints;
    this.direct = direct;
  }

  /** A command of the library, but for what all of them end with. */
  interface Enqueue {
    int into(int waitCount, MemorySegment waits, MemorySegment event);
  }

  /**
   * The place of a command among others of its queue.
   *
   * @param waitsForAll before it, whatever the queue's order
   * @param holdsAll behind it, whatever the queue's order
   * @param before changes that matter to it, if it is to be queued again elsewhere
   * @param samplers that it uses
   * @param prints whether it may print
   * @param takesLong whether nobody is to look for its end all the time
   */
  private record Place(
      boolean waitsForAll,
      boolean holdsAll,
      Supplier<List<OpenCall.Change>> before,
      List<SessionObject> samplers,
      boolean prints,
      boolean takesLong) {
    private static final Place USUAL = new Place(false, false, List::of, List.of(), false, false);
    private static final Place LONG = new Place(false, false, List::of, List.of(), false, true);
  }

  /**
   * Queues a command.
   *
   * @param event the number of its event, or 0
   */
  void enqueue(
      SessionObject queue, List<SessionObject> waits, int event, Answer answer, Enqueue command) {
    enqueue(queue, waits, event, answer, Place.USUAL, command);
  }

  /**
   * Queues a command that moves bytes.
   *
   * @param event the number of its event, or 0
   */
  void enqueue(
      SessionObject queue,
      List<SessionObject> waits,
      int event,
      Answer answer,
      long bytes,
      Enqueue command) {
    boolean isLong = bytes >= LONG_BYTES && queue.attachment(QueueOrder.class).isOfProcessors();
    Place place = isLong ? Place.LONG : Place.USUAL;
    enqueue(queue, waits, event, answer, place, command);
  }

  private void enqueue(
      SessionObject queue,
      List<SessionObject> waits,
      int event,
      Answer answer,
      Place place,
      Enqueue command) {
    if (event != 0) {
      events.requireFree(event);
    }
    if (events.anyFailed(waits)) {
      failed(queue, event, answer, ClStatus.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      return;
    }
    Set<SessionObject> roots =
        gates.rootsOf(queue, waits, place.waitsForAll() && waits.isEmpty(), place.holdsAll());
    Blocked blocked = gates.keep(roots, answer, place.before());
    boolean isAhead = blocked == null && gates.isHeldBack(queue);
    if (blocked != null) {
      work.close(queue); // a marker behind it would wait with it
    }
    boolean isAwaited = answer.expectsBytes();
    boolean uses = !place.samplers().isEmpty();
    boolean needed =
        event != 0
            || answer.isWaitedFor()
            || isAwaited
            || uses
            || place.prints()
            || isAhead
            || blocked != null;
    boolean ends = blocked == null && work.endsWindow(queue, answer.isWaitedFor());
    boolean wanted = needed || ends;
    MemorySegment out = wanted ? memo.bytes(Long.BYTES) : MemorySegment.NULL;
    List<SessionObject> open = events.open(waits);
    int status = command.into(open.size(), memo.handles(open), out);
    if (status != ClStatus.SUCCESS) {
      forget(blocked);
      failed(queue, event, answer, status);
      return;
    }
    events.queued(queue);
    long number = direct.queued(queue);
    long handle = wanted ? out.get(ValueLayout.JAVA_LONG, 0) : 0;
    if (blocked == null) {
      work.queued(queue, ends ? handle : 0);
    }
    if (!wanted) {
      return;
    }
    if (isAhead) {
      gates.passed(queue, handle);
    }
    gates.queued(blocked, handle);
    if (isAwaited) {
      awaitedWrites.expect(handle, answer);
    }
    if (uses) {
      samplers.add(handle, place.samplers());
    }
    if (place.prints()) {
      prints.add(handle, blocked);
    }
    if (answer.isWaitedFor()) {
      int _ = OpenClLibrary.clFlush(queue.handle());
      completions.addAwaited(
          handle,
          blocked,
          place.takesLong(),
          done -> {
            forget(blocked);
            boolean isOrdered = !queue.attachment(QueueOrder.class).isOutOfOrder();
            if (done == ClStatus.COMPLETE && isOrdered) {
              direct.hasRun(queue, number);
            }
            answer.give(done < 0 ? events.failureOf(done, open) : ClStatus.SUCCESS);
          });
    }
    if (event != 0) {
      direct.hasEvent(queue, events.add(event, handle, blocked));
    } else {
      int _ = OpenClLibrary.clReleaseEvent(handle);
    }
  }

  private void forget(@Nullable Blocked blocked) {
    if (blocked != null) {
      gates.remove(blocked);
    }
  }

  private void failed(SessionObject queue, int event, Answer answer, int status) {
    if (event != 0) {
      events.requireFree(event);
      events.addFailed(event, status);
    } else if (!answer.isWaitedFor()) {
      events.failedUnseen(queue, status);
    }
    answer.give(status);
  }

  /** Whether a list of numbers is as long as it must be; else the command fails. */
  boolean isLong(long[] list, int length, SessionObject queue, int event, Answer answer) {
    if (list.length == length) {
      return true;
    }
    failed(queue, event, answer, ClStatus.INVALID_VALUE);
    return false;
  }

  /** Fails a command that is not for the library. */
  void refuse(SessionObject queue, int event, Answer answer, int status) {
    failed(queue, event, answer, status);
  }

  void launch(OpenClCall.Launch c, Answer answer) {
    int dimensions = c.global().length;
    boolean fits =
        dimensions >= 1
            && dimensions <= DIMENSIONS
            && (c.offset().length == 0 || c.offset().length == dimensions)
            && (c.local().length == 0 || c.local().length == dimensions);
    if (!fits) {
      failed(c.queue(), c.event(), answer, ClStatus.INVALID_VALUE);
      return;
    }
    for (long size : c.local()) {
      if (size == 0) { // some libraries divide by it
        failed(c.queue(), c.event(), answer, ClStatus.INVALID_WORK_GROUP_SIZE);
        return;
      }
    }
    Kernels.writes(c.kernel(), touched);
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        new Place(
            false,
            false,
            () -> Kernels.arguments(c.kernel()),
            Kernels.samplers(c.kernel()),
            Programs.print(Kernels.programOf(c.kernel())),
            false),
        (count, waits, event) ->
            OpenClLibrary.clEnqueueNDRangeKernel(
                c.queue().handle(),
                c.kernel().handle(),
                dimensions,
                memo.longs(c.offset()),
                memo.longs(c.global()),
                memo.longs(c.local()),
                count,
                waits,
                event));
  }

  void copyBuffer(OpenClCall.CopyBuffer c, Answer answer) {
    touched.write(c.to());
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueCopyBuffer(
                c.queue().handle(),
                c.from().handle(),
                c.to().handle(),
                c.fromOffset(),
                c.toOffset(),
                c.size(),
                count,
                waits,
                event));
  }

  void copyRect(OpenClCall.CopyRect c, Answer answer) {
    long[] box = c.box();
    touched.write(c.to());
    if (!isLong(box, 13, c.queue(), c.event(), answer)) {
      return;
    }
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueCopyBufferRect(
                c.queue().handle(),
                c.from().handle(),
                c.to().handle(),
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                memo.longs(box, 6, 3),
                box[9],
                box[10],
                box[11],
                box[12],
                count,
                waits,
                event));
  }

  void fillBuffer(OpenClCall.FillBuffer c, Answer answer) {
    touched.write(c.mem());
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueFillBuffer(
                c.queue().handle(),
                c.mem().handle(),
                memo.copy(c.pattern()),
                c.pattern().length,
                c.offset(),
                c.size(),
                count,
                waits,
                event));
  }

  void copyImage(OpenClCall.CopyImage c, Answer answer) {
    long[] box = c.box();
    touched.write(c.to());
    if (!isLong(box, 9, c.queue(), c.event(), answer)) {
      return;
    }
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueCopyImage(
                c.queue().handle(),
                c.from().handle(),
                c.to().handle(),
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                memo.longs(box, 6, 3),
                count,
                waits,
                event));
  }

  void copyImageToBuffer(OpenClCall.CopyImageToBuffer c, Answer answer) {
    long[] box = c.box();
    touched.write(c.to());
    if (!isLong(box, 7, c.queue(), c.event(), answer)) {
      return;
    }
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueCopyImageToBuffer(
                c.queue().handle(),
                c.from().handle(),
                c.to().handle(),
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                box[6],
                count,
                waits,
                event));
  }

  void copyBufferToImage(OpenClCall.CopyBufferToImage c, Answer answer) {
    long[] box = c.box();
    touched.write(c.to());
    if (!isLong(box, 7, c.queue(), c.event(), answer)) {
      return;
    }
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueCopyBufferToImage(
                c.queue().handle(),
                c.from().handle(),
                c.to().handle(),
                box[0],
                memo.longs(box, 1, 3),
                memo.longs(box, 4, 3),
                count,
                waits,
                event));
  }

  void fillImage(OpenClCall.FillImage c, Answer answer) {
    long[] box = c.box();
    touched.write(c.mem());
    if (!isLong(box, 6, c.queue(), c.event(), answer)) {
      return;
    }
    if (c.colour().length != 16) {
      failed(c.queue(), c.event(), answer, ClStatus.INVALID_VALUE);
      return;
    }
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueFillImage(
                c.queue().handle(),
                c.mem().handle(),
                memo.copy(c.colour()),
                memo.longs(box, 0, 3),
                memo.longs(box, 3, 3),
                count,
                waits,
                event));
  }

  void migrate(OpenClCall.Migrate c, Answer answer) {
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        (count, waits, event) ->
            OpenClLibrary.clEnqueueMigrateMemObjects(
                c.queue().handle(),
                c.mems().size(),
                memo.handles(c.mems()),
                c.flags(),
                count,
                waits,
                event));
  }

  void marker(OpenClCall.Marker c, Answer answer) {
    long queue = c.queue().handle();
    boolean isBarrier = c.barrier() != 0;
    boolean waitsForSome =
        !c.waits().isEmpty() && c.queue().attachment(QueueOrder.class).isOutOfOrder();
    enqueue(
        c.queue(),
        c.waits(),
        c.event(),
        answer,
        new Place(true, isBarrier, List::of, List.of(), false, false),
        (count, waits, event) -> {
          if (waitsForSome && (!isBarrier || count == 0)) {
            return waitForSome(c.queue(), count, waits, event);
          }
          return isBarrier
              ? OpenClLibrary.clEnqueueBarrierWithWaitList(queue, count, waits, event)
              : OpenClLibrary.clEnqueueMarkerWithWaitList(queue, count, waits, event);
        });
  }

  /**
   * Queues, out of order, what does nothing when the events of a list have ended. A marker of PoCL
   * 3.1 waits for all before it, whatever it names; so does one of any library when none of what
   * was named is left.
   */
  private int waitForSome(
      SessionObject queue, int count, MemorySegment waits, MemorySegment event) {
    SessionObject context =
        queue.creation().named().stream()
            .filter(object -> object.kind() == OpenClKinds.CONTEXT)
            .findFirst()
            .orElseThrow();
    MemorySegment error = memo.bytes(Integer.BYTES);
    long buffer = OpenClLibrary.clCreateBuffer(context.handle(), 0, 1, MemorySegment.NULL, error);
    if (buffer == 0) {
      return Objects.error(error);
    }
    int status =
        OpenClLibrary.clEnqueueMigrateMemObjects(
            queue.handle(), 1, memo.longs(buffer), CONTENT_UNDEFINED, count, waits, event);
    int _ = OpenClLibrary.clReleaseMemObject(buffer);
    return status;
  }

  void flush(OpenClCall.Flush c, Answer answer) {
    answer.give(OpenClLibrary.clFlush(c.queue().handle()));
  }

  /**
   * A marker that nothing is named for waits for all before it, in order or not; with PoCL 3.1 not
   * for what was before a command that has failed, or fails while the marker waits.
   */
  void finish(OpenClCall.Finish c, Answer answer) {
    Blocked blocked = gates.keep(gates.rootsOfAll(c.queue()), answer, List::of);
    MemorySegment out = memo.bytes(Long.BYTES);
    long queue = c.queue().handle();
    int status = OpenClLibrary.clEnqueueMarkerWithWaitList(queue, 0, MemorySegment.NULL, out);
    if (status != ClStatus.SUCCESS) {
      forget(blocked);
      answer.give(status);
      return;
    }
    int _ = OpenClLibrary.clFlush(queue);
    long marker = out.get(ValueLayout.JAVA_LONG, 0);
    long number = direct.queued(c.queue());
    DeviceUse.UseWindow window = blocked == null ? work.take(c.queue()) : null;
    List<Long> ends = new ArrayList<>(gates.fences(c.queue()));
    ends.add(marker);
    Runnable then =
        () -> {
          if (window != null) {
            window.done();
          }
          direct.hasRun(c.queue(), number);
          answer.give(events.takeFailure(c.queue()));
        };
    whenEnded(
        ends,
        blocked,
        () -> {
          forget(blocked);
          List<Long> freed = blocked == null ? List.of() : gates.fences(c.queue());
          whenEnded(freed, null, then);
        });
    int _ = OpenClLibrary.clReleaseEvent(marker);
  }

  private void whenEnded(List<Long> ends, @Nullable Blocked blocked, Runnable then) {
    if (ends.isEmpty()) {
      then.run();
      return;
    }
    int[] left = {ends.size()};
    for (long end : ends) {
      completions.addAwaited(
          end,
          blocked,
          false,
          _ -> {
            if (--left[0] == 0) {
              then.run();
            }
          });
    }
  }
}
