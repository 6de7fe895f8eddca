package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.ApiState;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.NoSuchObjectException;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The calls of one OpenCL session, each handed to the room that it belongs to. */
final class OpenClSession implements ApiSession {
  /** As libraries of GPUs do natively; NVIDIA's tells an end up to 20 ms late. */
  private static final long DEVICE_LOOK_NS = 2_000_000;

  private final SessionContext context;
  private final Memo memo = new Memo();
  private final Completions completions;
  private final Queries queries;
  private final Objects objects;
  private final Memory memory;
  private final Programs programs;
  private final Kernels kernels;
  private final Events events;
  private final Commands commands;
  private final Transfers transfers;
  private final Touched touched = new Touched();
  private final Gates gates;
  private final LeavingQueues leaving;
  private final AwaitedWrites awaitedWrites;
  private final SamplersInUse samplers;
  private final Prints prints;
  private final OpenClState state;
  private final DeviceWork work;
  private final DirectCopies direct;
  private final PinnedMemory pinned;
  private @Nullable Held held;

  /** A call that waits for the guest's turn at a device, or for the output. */
  private record Held(OpenClCall call, CallReader in, Answer answer) {}

  OpenClSession(HostDevices devices, KernelOutput output, SessionContext context) {
    this.context = context;
    completions =
        new Completions(
            memo, context, devices.areProcessors() ? ApiSession.LOOK_NS : DEVICE_LOOK_NS);
    queries = new Queries(memo);
    gates = new Gates(memo, touched, completions, context::nanoTime);
    leaving = new LeavingQueues(memo, completions, gates);
    objects = new Objects(context, memo, devices, leaving::leaveRoom);
    memory = new Memory(context, memo);
    programs = new Programs(context, memo);
    kernels = new Kernels(context, memo, devices.mostLocalBytes());
    events = new Events(context, memo, completions, gates);
    work = new DeviceWork(context, memo, completions, gates);
    awaitedWrites = new AwaitedWrites();
    samplers = new SamplersInUse(memo, completions);
    prints = new Prints(context, completions, gates, memo, output);
    direct = new DirectCopies(memo, gates, completions, context::nanoTime);
    pinned = new PinnedMemory(PinnedMemory.MOST_BYTES, context::registered, memory);
    commands =
        new Commands(
            memo,
            events,
            completions,
            gates,
            touched,
            work,
            awaitedWrites,
            samplers,
            prints,
            direct);
    context.settleBy(() -> {
      int _ = awaitedWrites.settle();
    });
    transfers = new Transfers(memo, commands, touched, gates, work, direct, pinned);
    Remaking remaking = new Remaking(memo, objects, memory, programs, kernels, events);
    state =
        new OpenClState(
            context,
            devices,
            new OpenClState.SessionParts(completions, gates, events, touched, leaving, direct),
            remaking);
  }

  @Override
  public Optional<ApiState> state() {
    return Optional.of(state);
  }

  @Override
  public void execute(int number, CallReader in, Answer answer) {
    memo.clear();
    touched.begin();
    gates.begin(in);
    OpenClCall call = OpenClCall.decode(number, in);
    in.end();
    if (claim(call)) {
      execute(call, in, answer);
    } else {
      held = new Held(call, in, answer);
      events.flushAll();
    }
  }

  /** Claims what a call needs to begin; false when the session is woken for it later. */
  private boolean claim(OpenClCall call) {
    return prints.claim(call) && work.claim(call);
  }

  /** Executes the call that was held back, if it may begin by now. */
  private int executeHeld() {
    Held now = held;
    if (now == null || !claim(now.call())) {
      return 0;
    }
    held = null;
    memo.clear();
    touched.begin();
    try {
      execute(now.call(), now.in(), now.answer());
    } catch (NoSuchObjectException missing) {
      now.answer().give(statusOfMissing(missing.kind()));
    }
    return 1;
  }

  @Override
  public boolean isHeldBack() {
    return held != null;
  }

  @Override
  public boolean takesLong(int number) {
    return Programs.takesLong(number);
  }

  @Override
  public long deviceNs() {
    return work.workedNs();
  }

  @Override
  public Map<String, String> ties() {
    Map<String, String> ties = new LinkedHashMap<>();
    int binaries = programs.ofBinaries();
    if (binaries > 0) {
      ties.put(
          "binaries",
          "programs are made of binaries, which are their implementation's: " + binaries);
    }
    int il = programs.ofIl();
    if (il > 0) {
      ties.put("il", "programs are made of IL, which not every device takes: " + il);
    }
    if (gates.hasOverflown()) {
      ties.put("user-events", OpenClState.OVERFLOWN);
    }
    return ties;
  }

  private void execute(OpenClCall call, CallReader in, Answer answer) {
    direct.before(call);
    switch (call) {
      case OpenClCall.Topology c -> objects.topology(c, answer);
      case OpenClCall.PlatformInfo c -> queries.platform(c, answer);
      case OpenClCall.DeviceInfo c -> queries.device(c, answer);
      case OpenClCall.ImageInfo c -> queries.image(c, answer);
      case OpenClCall.ImageFormats c -> queries.imageFormats(c, answer);
      case OpenClCall.ProgramInfo c -> queries.program(c, answer);
      case OpenClCall.BuildInfo c -> queries.build(c, answer);
      case OpenClCall.KernelInfo c -> queries.kernel(c, answer);
      case OpenClCall.ArgumentInfo c -> queries.argument(c, answer);
      case OpenClCall.WorkGroupInfo c -> queries.workGroup(c, answer);
      case OpenClCall.SubGroupInfo c -> queries.subGroup(c, answer);
      case OpenClCall.Timers c -> queries.timers(c, answer);

      case OpenClCall.CreateSubDevices c -> objects.createSubDevices(c, in.record(), answer);
      case OpenClCall.Release c -> release(c, answer);
      case OpenClCall.CreateContext c -> objects.createContext(c, in.record(), answer);
      case OpenClCall.CreateQueue c -> objects.createQueue(c, in.record(), answer);
      case OpenClCall.CreateSampler c -> objects.createSampler(c, in.record(), answer);

      case OpenClCall.CreateBuffer c -> memory.createBuffer(c, in.record(), answer);
      case OpenClCall.CreateSubBuffer c -> memory.createSubBuffer(c, in.record(), answer);
      case OpenClCall.CreateImage c -> memory.createImage(c, in.record(), answer);
      case OpenClCall.CreateMappedBuffer c -> memory.createMappedBuffer(c, in.record(), answer);

      case OpenClCall.CreateProgram c -> programs.create(c, in.record(), answer);
      case OpenClCall.CreateProgramWithBinaries c ->
          programs.createWithBinaries(c, in.record(), answer);
      case OpenClCall.CreateProgramWithIl c -> programs.createWithIl(c, in.record(), answer);
      case OpenClCall.CreateProgramWithBuiltIns c ->
          programs.createWithBuiltIns(c, in.record(), answer);
      case OpenClCall.BuildProgram c -> programs.build(c, in.record(), answer);
      case OpenClCall.CompileProgram c -> programs.compile(c, in.record(), answer);
      case OpenClCall.LinkProgram c -> programs.link(c, in.record(), answer);
      case OpenClCall.SetConstant c -> programs.setConstant(c, in.record(), answer);

      case OpenClCall.CreateKernel c -> kernels.create(c, in.record(), answer);
      case OpenClCall.CloneKernel c -> kernels.copy(c, in.record(), answer);
      case OpenClCall.Arguments c -> kernels.arguments(c, answer);
      case OpenClCall.SetArgument c -> kernels.setArgument(c, in.record(), answer);

      case OpenClCall.Launch c -> commands.launch(c, answer);
      case OpenClCall.CopyBuffer c -> commands.copyBuffer(c, answer);
      case OpenClCall.CopyRect c -> commands.copyRect(c, answer);
      case OpenClCall.FillBuffer c -> commands.fillBuffer(c, answer);
      case OpenClCall.CopyImage c -> commands.copyImage(c, answer);
      case OpenClCall.CopyImageToBuffer c -> commands.copyImageToBuffer(c, answer);
      case OpenClCall.CopyBufferToImage c -> commands.copyBufferToImage(c, answer);
      case OpenClCall.FillImage c -> commands.fillImage(c, answer);
      case OpenClCall.Migrate c -> commands.migrate(c, answer);
      case OpenClCall.Marker c -> commands.marker(c, answer);
      case OpenClCall.Flush c -> commands.flush(c, answer);
      case OpenClCall.Finish c -> commands.finish(c, answer);

      case OpenClCall.ReadBuffer c -> transfers.readBuffer(c, answer);
      case OpenClCall.WriteBuffer c -> transfers.writeBuffer(c, answer);
      case OpenClCall.ReadRect c -> transfers.readRect(c, answer);
      case OpenClCall.WriteRect c -> transfers.writeRect(c, answer);
      case OpenClCall.ReadImage c -> transfers.readImage(c, answer);
      case OpenClCall.WriteImage c -> transfers.writeImage(c, answer);
      case OpenClCall.MapBuffer c -> transfers.mapBuffer(c, answer);
      case OpenClCall.UnmapBuffer c -> transfers.unmapBuffer(c, answer);

      case OpenClCall.CreateUserEvent c -> events.createUser(c, in.record(), answer);
      case OpenClCall.SetUserEventStatus c -> setUserStatus(c, answer);
      case OpenClCall.WaitForEvents c -> events.waitFor(c, answer);
      case OpenClCall.EventStatus c -> events.status(c, answer);
      case OpenClCall.EventProfile c -> events.profile(c, answer);
      case OpenClCall.WatchEvent c -> events.watch(c, answer);
    }
  }

  private void setUserStatus(OpenClCall.SetUserEventStatus c, Answer answer) {
    List<SessionObject> queues = gates.queuesBehind(c.event());
    List<Gates.Free> free = work.retainFree(c.event());
    events.setUserStatus(c, answer);
    work.freed(queues, free);
  }

  private void release(OpenClCall.Release c, Answer answer) {
    ObjectKind kind = context.objects().kind(c.kind());
    SessionObject object = context.objects().get(kind, c.index());
    if (!Objects.mayRelease(object)) {
      answer.give(ClStatus.SUCCESS);
      return;
    }
    int _ = context.objects().remove(kind, c.index()).index();
    if (kind == OpenClKinds.QUEUE) {
      direct.forgetQueue(object);
      work.close(object);
    }
    answer.give(state.giveBack(object));
  }

  @Override
  public int statusOfMissing(ObjectKind kind) {
    return ClStatus.ofMissing(kind);
  }

  @Override
  public int poll() {
    work.poll();
    samplers.settle();
    prints.settle();
    gates.settle();
    leaving.settle();
    if (!pinned.isEmpty()
        && context.objects().count(OpenClKinds.QUEUE) == 0
        && leaving.queues().isEmpty()) {
      pinned.close(); // else contexts that the application has released would stay
    }
    return completions.poll() + awaitedWrites.settle() + executeHeld();
  }

  @Override
  public boolean arm() {
    work.arm();
    events.flushAll();
    return completions.arm();
  }

  @Override
  public long lookNs() {
    return completions.lookNs();
  }

  @Override
  public boolean isWaiting() {
    return completions.areAwaited() || awaitedWrites.areExpected();
  }

  /**
   * User events that nobody will set any more are failed, so that what waits for them ends; then
   * queues are finished and all is released, what depends on others first.
   */
  @Override
  public void close() {
    try {
      held = null;
      direct.settle();
      work.leave();
      events.failUserEvents();
      for (SessionObject queue : context.objects().all(OpenClKinds.QUEUE)) {
        int _ = OpenClLibrary.clFinish(queue.handle());
      }
      leaving.close();
      pinned.close();
      awaitedWrites.close();
      samplers.close();
      prints.close();
      completions.close();
      work.close();
      gates.close();
      context.objects().all(OpenClKinds.KERNEL).forEach(Kernels::forget);
      context.objects().all(OpenClKinds.PROGRAM).forEach(Programs::forget);
      for (ObjectKind kind : List.copyOf(OpenClKinds.ALL).reversed()) {
        for (SessionObject object : context.objects().all(kind)) {
          if (Objects.mayRelease(object)) {
            int _ = Objects.releaseNative(object);
          }
        }
      }
    } finally {
      memo.close();
    }
  }
}
