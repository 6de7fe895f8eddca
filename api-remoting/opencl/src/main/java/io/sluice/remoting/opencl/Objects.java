package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.ObjectTable;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/** Platforms, devices, contexts, queues and samplers, and the release of all objects. */
final class Objects {
  private final SessionContext context;
  private final ObjectTable objects;
  private final Memo memo;
  private final HostDevices devices;
  private final IntPredicate hasRoomForQueue;

  /**
   * The origin of a device: its platform's handle, and whether it is part of another device.
   *
   * @param turn its number among those that guests take turns at; a part has its device's
   * @param processors whether it is this host's processors, or some of them
   * @param siblings those that one call made, itself among them; empty unless it is a part
   */
  record DeviceOrigin(
      long platform, boolean part, int turn, boolean processors, List<SessionObject> siblings) {}

  /**
   * @param hasRoomForQueue whether there may be another queue beside so many
   */
  Objects(SessionContext context, Memo memo, HostDevices devices, IntPredicate hasRoomForQueue) {
    this.context = context;
    this.memo = memo;
    this.devices = devices;
    this.hasRoomForQueue = hasRoomForQueue;
    objects = context.objects();
    int device = 0;
    for (int i = 0; i < devices.platforms().size(); i++) {
      HostDevices.Platform platform = devices.platforms().get(i);
      SessionObject _ =
          objects.add(OpenClKinds.PLATFORM, i + 1, platform.handle(), CallRecord.NONE);
      for (long handle : platform.devices()) {
        SessionObject _ =
            objects
                .add(OpenClKinds.DEVICE, ++device, handle, CallRecord.NONE)
                .attach(
                    new DeviceOrigin(
                        platform.handle(),
                        false,
                        devices.turnOf(handle),
                        devices.areProcessors(handle),
                        List.of()));
      }
    }
  }

  /** An error code behind a call that makes something. */
  static int error(MemorySegment out) {
    return out.get(ValueLayout.JAVA_INT, 0);
  }

  void topology(OpenClCall.Topology c, Answer answer) {
    int platforms = devices.platforms().size();
    long bytes = 4L * (platforms + 1);
    if (c.out().byteSize() < bytes) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    c.out().set(ValueLayout.JAVA_INT_UNALIGNED, 0, platforms);
    for (int i = 0; i < platforms; i++) {
      int count = devices.platforms().get(i).devices().size();
      c.out().set(ValueLayout.JAVA_INT_UNALIGNED, 4L * (i + 1), count);
    }
    answer.give(ClStatus.SUCCESS, bytes);
  }

  void createSubDevices(OpenClCall.CreateSubDevices c, CallRecord record, Answer answer) {
    MemorySegment properties = ended(c.properties());
    int[] children = c.children().toArray(ValueLayout.JAVA_INT_UNALIGNED);
    if (children.length > OpenClKinds.DEVICE.most()
        || Arrays.stream(children).distinct().count() < children.length) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    for (int child : children) {
      int _ = objects.requireFree(OpenClKinds.DEVICE, child);
    }
    MemorySegment count = memo.bytes(Integer.BYTES);
    int wanted = children.length;
    MemorySegment handles = wanted == 0 ? MemorySegment.NULL : memo.bytes(8L * wanted);
    int status =
        OpenClLibrary.clCreateSubDevices(c.parent().handle(), properties, wanted, handles, count);
    int made = count.get(ValueLayout.JAVA_INT, 0);
    if (status == ClStatus.SUCCESS) {
      DeviceOrigin parent = c.parent().attachment(DeviceOrigin.class);
      List<SessionObject> siblings = new ArrayList<>();
      for (int i = 0; i < Math.min(made, wanted); i++) {
        int index = children[i];
        long handle = handles.getAtIndex(ValueLayout.JAVA_LONG, i);
        siblings.add(
            objects
                .add(OpenClKinds.DEVICE, index, handle, record)
                .attach(
                    new DeviceOrigin(
                        parent.platform(), true, parent.turn(), parent.processors(), siblings)));
      }
    }
    answer.give(status, made);
  }

  /** A list of properties and the 0 that ends it; NULL for none. */
  private MemorySegment ended(long[] properties) {
    return properties.length == 0
        ? MemorySegment.NULL
        : memo.longs(Arrays.copyOf(properties, properties.length + 1));
  }

  void createContext(OpenClCall.CreateContext c, CallRecord record, Answer answer) {
    if (c.devices().isEmpty()) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    long platform = c.devices().getFirst().attachment(DeviceOrigin.class).platform();
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle =
        OpenClLibrary.clCreateContext(
            memo.longs(ClParam.CONTEXT_PLATFORM, platform, 0),
            c.devices().size(),
            memo.handles(c.devices()),
            MemorySegment.NULL,
            MemorySegment.NULL,
            error);
    if (handle != 0) {
      SessionObject _ = objects.add(OpenClKinds.CONTEXT, c.context(), handle, record);
    }
    answer.give(error(error));
  }

  void createQueue(OpenClCall.CreateQueue c, CallRecord record, Answer answer) {
    if (!QueueOrder.isOfHost(c.properties())) {
      answer.give(ClStatus.INVALID_QUEUE_PROPERTIES);
      return;
    }
    if (!hasRoomForQueue.test(objects.count(OpenClKinds.QUEUE))) {
      answer.give(ClStatus.OUT_OF_RESOURCES);
      return;
    }
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle =
        OpenClLibrary.clCreateCommandQueueWithProperties(
            c.context().handle(), c.device().handle(), ended(c.properties()), error);
    int status = error(error);
    if (handle != 0) {
      QueueOrder order = orderOf(c);
      if (order.isHadBy(memo, c.device().handle())) {
        SessionObject _ = objects.add(OpenClKinds.QUEUE, c.queue(), handle, record).attach(order);
      } else {
        int _ = OpenClLibrary.clReleaseCommandQueue(handle);
        status = ClStatus.INVALID_QUEUE_PROPERTIES;
      }
    }
    answer.give(status);
  }

  /** The order that a queue is to have. */
  static QueueOrder orderOf(OpenClCall.CreateQueue c) {
    DeviceOrigin device = c.device().attachment(DeviceOrigin.class);
    return QueueOrder.of(c.properties(), device.turn(), device.processors());
  }

  void createSampler(OpenClCall.CreateSampler c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle =
        OpenClLibrary.clCreateSampler(
            c.context().handle(), c.normalized(), c.addressing(), c.filter(), error);
    if (handle != 0) {
      SessionObject _ = objects.add(OpenClKinds.SAMPLER, c.sampler(), handle, record);
    }
    answer.give(error(error));
  }

  /** Whether an application may release an object: not what was there before its session. */
  static boolean mayRelease(SessionObject object) {
    return object.kind() == OpenClKinds.DEVICE
        ? object.attachment(DeviceOrigin.class).part()
        : object.kind() != OpenClKinds.PLATFORM;
  }

  /** Gives an object back to the library. */
  static int releaseNative(SessionObject object) {
    long handle = object.handle();
    if (handle == 0) {
      return ClStatus.SUCCESS; // the event of a command that never was
    }
    return switch (object.kind().name()) {
      case "device" -> OpenClLibrary.clReleaseDevice(handle);
      case "context" -> OpenClLibrary.clReleaseContext(handle);
      case "queue" -> OpenClLibrary.clReleaseCommandQueue(handle);
      case "mem" -> OpenClLibrary.clReleaseMemObject(handle);
      case "sampler" -> OpenClLibrary.clReleaseSampler(handle);
      case "program" -> OpenClLibrary.clReleaseProgram(handle);
      case "kernel" -> OpenClLibrary.clReleaseKernel(handle);
      case "event" -> OpenClLibrary.clReleaseEvent(handle);
      default -> throw new AssertionError(object.kind().name());
    };
  }
}
