package io.sluice.channel.nvidia.relay;

import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.abi.rm.alloc.ContextShareAlloc;
import io.sluice.abi.rm.alloc.CopyAlloc;
import io.sluice.abi.rm.alloc.MemoryVirtualAlloc;
import io.sluice.abi.rm.alloc.VaspaceAlloc;
import io.sluice.abi.rm.control.GpfifoSchedule;
import io.sluice.abi.rm.control.WorkSubmitToken;
import io.sluice.abi.rm.ioctl.Nvos46MapMemoryDma;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.ring.ProbeRing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * A channel of ours in a channel group of a program, for as long as it is asked whether what the
 * group has begun has ended: a kernel computes on when all entries are fetched, and RM says of such
 * a channel that it is idle. What it waits for is the group's engine, and so the group's work.
 *
 * <p>On graphics it has an address space of its own, as a subcontext may: in one that UVM has RM
 * would not run it before UVM knows it, too. On a copy engine a group has one address space for
 * all; the memory is mapped there, where the program has nothing.
 */
final class GroupProbe implements AutoCloseable {
  private static final long OWN_ADDRESS = 1L << 36; // there is nothing else

  private final ProgramDriver driver;
  private final PoolCalls pools;
  private final RmObject group;
  private final ProgramFile control;
  private final boolean graphics;
  private final ProbeRing ring;
  private final List<Undoing> made = new ArrayList<>();
  private long address;
  private int token;

  /**
   * The taking away of a part.
   *
   * @param part its name
   * @param status what the driver says to it
   */
  private record Undoing(String part, IntSupplier status) {}

  private GroupProbe(
      ProgramDriver driver,
      PoolCalls pools,
      RmObject group,
      ProgramFile control,
      int engine,
      ProbeRing ring) {
    this.driver = driver;
    this.pools = pools;
    this.group = group;
    this.control = control;
    graphics = engine == RmEngine.GRAPHICS;
    this.ring = ring;
  }

  /**
   * Makes one.
   *
   * @param channel one of the group's, by which the group's address space is known
   * @throws Denial when it cannot be made; nothing is left of it then
   */
  static GroupProbe of(
      ProgramDriver driver, PagesCalls pages, PoolCalls pools, UvmCalls uvm, RmObject channel)
      throws Denial {
    RmObject.Name name = channel.parent();
    int engine =
        driver
            .objects()
            .groups()
            .engine(name)
            .orElseThrow(() -> cannot("a channel that is in no group"));
    RmObject group = driver.objects().find(name.client(), name.handle()).orElseThrow();
    ProgramFile control = driver.objects().controlOf(name.client()).orElseThrow();
    ProbeRing ring = ProbeRing.make(driver.kernel());
    GroupProbe probe = new GroupProbe(driver, pools, group, control, engine, ring);
    boolean complete = false;
    try {
      probe.make(pages, uvm, channel, engine);
      complete = true;
      return probe;
    } finally {
      if (!complete) {
        probe.close();
      }
    }
  }

  private static Denial cannot(String why) {
    return new Denial(RmStatus.NOT_SUPPORTED, why);
  }

  private void make(PagesCalls pages, UvmCalls uvm, RmObject channel, int engine) throws Denial {
    int device = group.parent().handle();
    RmObject.Name memory = pages(pages, device, ring.mapped());
    RmObject.Name userd = pages(pages, device, ring.userd());
    RmObject.Name notifier = pages(pages, device, ring.notifier());
    int subcontext = graphics ? mapInOwn(memory, device) : mapInGroups(uvm, memory, channel);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(ChannelAlloc.LAYOUT);
      ChannelAlloc.H_OBJECT_ERROR.setBits(block, notifier.handle());
      ChannelAlloc.GP_FIFO_OFFSET.set(block, address);
      ChannelAlloc.GP_FIFO_ENTRIES.setBits(block, ProbeRing.ENTRIES);
      ChannelAlloc.H_CONTEXT_SHARE.setBits(block, subcontext);
      ChannelAlloc.H_USERD_MEMORY.at(0).setBits(block, userd.handle());
      ChannelAlloc.ENGINE_TYPE.setBits(block, engine);
      RmObject.Name probe =
          alloc(group.name().handle(), RmClass.HOPPER_CHANNEL_GPFIFO_A, Optional.of(block));
      made.add(
          new Undoing(
              "its work",
              () -> {
                stop(probe);
                return RmStatus.OK.code();
              }));
      bind(probe, engine);
      schedule(probe);
    }
  }

  /** One that waits takes a second to free unless it is stopped; it is freed in any case. */
  private void stop(RmObject.Name probe) {
    try {
      int _ = ChannelHold.send(driver, List.of(probe), true);
    } catch (Denial _) {
      // A client without a subdevice.
    }
  }

  /** Without a class of the engine's the wait would end the group with an error. */
  private void bind(RmObject.Name probe, int engine) throws Denial {
    if (graphics) {
      RmObject.Name _ = alloc(probe.handle(), RmClass.HOPPER_COMPUTE_A, Optional.empty());
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(CopyAlloc.LAYOUT);
      CopyAlloc.VERSION.setBits(block, CopyAlloc.VERSION_ENGINE_TYPE);
      CopyAlloc.ENGINE_TYPE.setBits(block, engine);
      RmObject.Name _ = alloc(probe.handle(), RmClass.HOPPER_DMA_COPY_A, Optional.of(block));
    }
  }

  private void schedule(RmObject.Name probe) throws Denial {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment on = arena.allocate(GpfifoSchedule.LAYOUT);
      GpfifoSchedule.ENABLE.set(on, 1);
      requireOk(
          driver.control(control, probe, RmControl.CHANNEL_GPFIFO_SCHEDULE.command(), on),
          "RM runs it not");
      MemorySegment block = arena.allocate(WorkSubmitToken.LAYOUT);
      requireOk(
          driver.control(control, probe, RmControl.GPFIFO_GET_WORK_SUBMIT_TOKEN.command(), block),
          "RM tells no token of it");
      token = WorkSubmitToken.TOKEN.bits(block);
    }
    driver.objects().groups().number(probe, group.name(), token);
    made.add(
        new Undoing(
            "its number",
            () -> {
              driver.objects().groups().remove(probe);
              return RmStatus.OK.code();
            }));
  }

  private RmObject.Name pages(PagesCalls pages, int device, MemorySegment memory) throws Denial {
    RmObject.Name name = driver.objects().freeName(group.name().client());
    requireOk(pages.register(control, name, device, memory), "RM takes no pages");
    made.add(new Undoing("its pages", () -> pools.free(control, name, device)));
    return name;
  }

  /** An address space of its own, in a subcontext of the group, which is returned. */
  private int mapInOwn(RmObject.Name memory, int device) throws Denial {
    try (Arena arena = Arena.ofConfined()) {
      RmObject.Name space =
          alloc(device, RmClass.FERMI_VASPACE_A, Optional.of(arena.allocate(VaspaceAlloc.LAYOUT)));
      MemorySegment all = arena.allocate(MemoryVirtualAlloc.LAYOUT);
      MemoryVirtualAlloc.H_VA_SPACE.setBits(all, space.handle());
      RmObject.Name virtual = alloc(device, RmClass.NV01_MEMORY_VIRTUAL, Optional.of(all));
      address = OWN_ADDRESS;
      MemorySegment map = arena.allocate(Nvos46MapMemoryDma.LAYOUT);
      Nvos46MapMemoryDma.H_CLIENT.setBits(map, memory.client());
      Nvos46MapMemoryDma.H_DEVICE.setBits(map, device);
      Nvos46MapMemoryDma.H_DMA.setBits(map, virtual.handle());
      Nvos46MapMemoryDma.H_MEMORY.setBits(map, memory.handle());
      Nvos46MapMemoryDma.LENGTH.set(map, ProbeRing.MAPPED_BYTES);
      Nvos46MapMemoryDma.FLAGS.setBits(
          map, Nvos46MapMemoryDma.FLAGS_CACHE_SNOOP | Nvos46MapMemoryDma.FLAGS_DMA_OFFSET_FIXED);
      Nvos46MapMemoryDma.DMA_OFFSET.set(map, address);
      requireOk(
          driver.call(control, RmIoctl.RM_MAP_MEMORY_DMA, map, Nvos46MapMemoryDma.STATUS),
          "RM maps nothing");
      MemorySegment share = arena.allocate(ContextShareAlloc.LAYOUT);
      ContextShareAlloc.H_VA_SPACE.setBits(share, space.handle());
      ContextShareAlloc.FLAGS.setBits(share, ContextShareAlloc.FLAGS_ASYNC);
      return alloc(group.name().handle(), RmClass.FERMI_CONTEXT_SHARE_A, Optional.of(share))
          .handle();
    }
  }

  /** The address space of the group's channels; there is no subcontext. */
  private int mapInGroups(UvmCalls uvm, RmObject.Name memory, RmObject channel) throws Denial {
    UvmSpace space =
        uvm.spaceAt(ProgramChannels.ringAddress(channel), ProgramChannels.ringBytes(channel))
            .orElseThrow(() -> cannot("the ring of a channel is not in the host's memory"));
    address = uvm.createAnywhere(space, control, memory, ProbeRing.MAPPED_BYTES);
    made.add(new Undoing("its range", () -> uvm.free(space, address, ProbeRing.MAPPED_BYTES)));
    return 0;
  }

  private RmObject.Name alloc(int parent, RmClass type, Optional<MemorySegment> block)
      throws Denial {
    RmObject.Name name = driver.objects().freeName(group.name().client());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(Nvos64Alloc.LAYOUT);
      Nvos64Alloc.H_ROOT.setBits(argument, name.client());
      Nvos64Alloc.H_PARENT.setBits(argument, parent);
      Nvos64Alloc.H_OBJECT.setBits(argument, name.handle());
      Nvos64Alloc.H_CLASS.setBits(argument, type.number());
      Nvos64Alloc.PARAMS.set(argument, block.map(MemorySegment::address).orElse(0L));
      List<MemorySegment> blocks = new ArrayList<>(List.of(argument));
      block.ifPresent(blocks::add);
      requireOk(driver.call(control, ProgramEscape.ALLOC, blocks), "RM makes no " + type);
    }
    made.add(new Undoing("its " + type, () -> pools.free(control, name, parent)));
    return name;
  }

  private static void requireOk(int status, String what) throws Denial {
    if (status != RmStatus.OK.code()) {
      throw new Denial(
          RmStatus.NOT_SUPPORTED,
          "it is not to be known when its work has ended: "
              + what
              + ", "
              + RmStatus.nameOf(status));
    }
  }

  /** Asks whether the group's work has ended; what was asked before has been answered. */
  void ask() {
    ring.ask(address, graphics);
    driver.copier().ring(token);
  }

  /** Whether it has, all of it that was begun before it was asked. */
  boolean isAnswered() {
    return ring.isAnswered();
  }

  /**
   * Takes it away, answered or not.
   *
   * @throws IllegalStateException when RM keeps some of it: the program must end
   */
  @Override
  public void close() {
    Optional<String> kept = Optional.empty();
    for (Undoing each : made.reversed()) {
      try {
        int status = each.status().getAsInt();
        if (status != RmStatus.OK.code()) {
          kept = Optional.of(each.part() + ", " + RmStatus.nameOf(status));
        }
      } catch (SyscallException e) {
        kept = Optional.of(each.part() + ", " + e.getMessage());
      }
    }
    ring.close();
    if (kept.isPresent()) {
      throw new IllegalStateException(
          "a channel of ours stays in the program's group: " + kept.get());
    }
  }
}
