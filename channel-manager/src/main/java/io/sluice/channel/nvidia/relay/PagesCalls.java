package io.sluice.channel.nvidia.relay;

import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.ioctl.NvRegisterFd;
import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.HostPages;
import io.sluice.channel.nvidia.relay.link.ProgramLink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Memory of RM's that is made of pages of a memory file: what a program maps with its processor is
 * ours, or its own, and not the driver's. RM takes the pages by the address at which this process
 * has them.
 */
final class PagesCalls {
  private static final int FLAGS =
      Nvos02AllocMemory.FLAGS_PHYSICALITY_NONCONTIGUOUS
          | Nvos02AllocMemory.FLAGS_COHERENCY_CACHED
          | Nvos02AllocMemory.FLAGS_MAPPING_NO_MAP;

  /** {@link Nvos02AllocMemory#FLAGS}: the GPU keeps it in its caches. */
  static final int GPU_CACHED = 1 << 18;

  private static final long PAGE = Kernel.PAGE_BYTES;

  private final ProgramDriver driver;
  private final PoolCalls pools;
  private final ProgramLink link;

  /** A file of the card for each of the control node's: RM takes such calls on no other. */
  private final Map<Integer, ProgramFile> cards = new HashMap<>();

  PagesCalls(ProgramDriver driver, PoolCalls pools, ProgramLink link) {
    this.driver = driver;
    this.pools = pools;
    this.link = link;
  }

  /**
   * Makes memory of new pages.
   *
   * @param control through which the client was made
   * @param bytes rounded up to pages
   * @param flags {@link #GPU_CACHED} or 0
   * @return the object
   * @throws Denial when the guest has no more to give, or RM refuses
   */
  RmObject make(ProgramFile control, RmObject.Name name, int parent, long bytes, int flags)
      throws Denial {
    long whole = roundedUp(bytes);
    HostPages pages = blank(whole);
    boolean made = false;
    try {
      RmObject object =
          register(cardOf(control), name, parent, FLAGS | flags, pages, RmStatus.NO_MEMORY);
      made = true;
      return object;
    } finally {
      if (!made) {
        pages.close();
      }
    }
  }

  static long roundedUp(long bytes) throws Denial {
    if (bytes <= 0 || bytes > Long.MAX_VALUE - PAGE) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, "memory of " + bytes + " bytes");
    }
    return bytes + PAGE - 1 & -PAGE;
  }

  /** Takes bytes of the host's memory, and one descriptor and mapping of the daemon's. */
  private void take(long bytes) throws Denial {
    if (!driver.descriptors().take(1)) {
      throw new Denial(RmStatus.NO_MEMORY, "more pieces of memory than the guest may have");
    }
    if (!driver.pinned().take(bytes)) {
      driver.descriptors().giveBack(1);
      throw new Denial(RmStatus.NO_MEMORY, "more of the host's memory than the guest may have");
    }
  }

  private void giveBack(long bytes) {
    driver.pinned().giveBack(bytes);
    driver.descriptors().giveBack(1);
  }

  /** Empty pages. */
  HostPages blank(long bytes) throws Denial {
    take(bytes);
    boolean made = false;
    try {
      HostPages pages = link.blank(bytes, () -> giveBack(bytes));
      made = true;
      return pages;
    } finally {
      if (!made) {
        giveBack(bytes);
      }
    }
  }

  /** Pages with what a file of the driver has, which RM has prepared to be mapped. */
  HostPages copy(Fd file, long bytes) throws Denial {
    HostPages copy = blank(bytes);
    boolean complete = false;
    try (Mapping mapping = driver.kernel().mmap(file, 0, bytes, Kernel.PROT_READ)) {
      copy.segment().copyFrom(mapping.segment());
      complete = true;
      return copy;
    } catch (SyscallException e) {
      throw new Denial(RmStatus.NO_MEMORY, "a page of RM's that cannot be mapped: " + e);
    } finally {
      if (!complete) {
        copy.close();
      }
    }
  }

  /** A file of the control node is closed, and with it the one that was opened for it. */
  void closed(ProgramFile control) {
    ProgramFile card = cards.remove(control.number());
    if (card != null) {
      boolean _ = driver.files().close(card.number());
    }
  }

  /** Closes the card's files that were opened here: others are opened when they are needed. */
  void forgetCards() {
    cards.values().forEach(card -> driver.files().close(card.number()));
    cards.clear();
  }

  /** Whether one more file may wake the program. */
  boolean mayWake() {
    return link.mayWake();
  }

  /** Whether the call came with pages. */
  boolean hasBrought() {
    return link.hasBrought();
  }

  /** Makes memory of pages that the program brought: RM_ALLOC_MEMORY of an OS descriptor. */
  void pin(DriverCall call) throws Denial {
    long limit = Nvos02AllocMemory.LIMIT.get(call.argument());
    long bytes = roundedUp(limit < 0 || limit == Long.MAX_VALUE ? -1 : limit + 1);
    take(bytes);
    HostPages pages;
    boolean brought = false;
    try {
      pages = link.brought(bytes, () -> giveBack(bytes));
      brought = true;
    } finally {
      if (!brought) {
        giveBack(bytes);
      }
    }
    pinPages(call, pages);
  }

  private void pinPages(DriverCall call, HostPages pages) throws Denial {
    MemorySegment argument = call.argument();
    long programs = Nvos02AllocMemory.MEMORY.get(argument);
    boolean made = false;
    try {
      RmObject.Name name =
          new RmObject.Name(
              Nvos02AllocMemory.H_ROOT.bits(argument), Nvos02AllocMemory.H_OBJECT.bits(argument));
      RmObject _ =
          register(
              call.file(),
              name,
              Nvos02AllocMemory.H_PARENT.bits(argument),
              Nvos02AllocMemory.FLAGS.bits(argument),
              pages,
              RmStatus.INVALID_ADDRESS);
      made = true;
      Nvos02AllocMemory.MEMORY.set(argument, programs);
      Nvos02AllocMemory.STATUS.setBits(argument, RmStatus.OK.code());
    } finally {
      if (!made) {
        pages.close();
      }
    }
  }

  private RmObject register(
      ProgramFile card,
      RmObject.Name name,
      int parent,
      int flags,
      HostPages pages,
      RmStatus refused)
      throws Denial {
    driver.objects().requireRoom(Optional.empty());
    if (name.handle() == 0) {
      throw new Denial(RmStatus.INVALID_OBJECT_HANDLE, "memory without a handle");
    }
    ProgramDriver.requireOther(name.client(), name.handle());
    int status = register(card, name, parent, flags, pages.segment());
    if (status != RmStatus.OK.code()) {
      throw new Denial(refused, "RM takes no such pages, " + RmStatus.nameOf(status));
    }
    RmObject object = driver.objects().add(name.client(), parent, name.handle(), Optional.empty());
    object.setPages(pages, flags);
    return object;
  }

  /**
   * Has RM take the pages of an object again, which it has lost.
   *
   * @param control the file of its client
   * @return RM's status
   */
  int registerAgain(ProgramFile control, RmObject object) {
    return register(
        cardOf(control),
        object.name(),
        object.parent().handle(),
        object.flags(),
        object.pages().orElseThrow().segment());
  }

  /**
   * Has RM take memory of this process's.
   *
   * @param control the file of the client
   * @return RM's status
   */
  int register(ProgramFile control, RmObject.Name name, int parent, MemorySegment memory) {
    return register(cardOf(control), name, parent, FLAGS, memory);
  }

  private int register(
      ProgramFile card, RmObject.Name name, int parent, int flags, MemorySegment memory) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(Nvos02AllocMemory.LAYOUT);
      Nvos02AllocMemory.H_ROOT.setBits(argument, name.client());
      Nvos02AllocMemory.H_PARENT.setBits(argument, parent);
      Nvos02AllocMemory.H_OBJECT.setBits(argument, name.handle());
      Nvos02AllocMemory.H_CLASS.setBits(
          argument, RmClass.NV01_MEMORY_SYSTEM_OS_DESCRIPTOR.number());
      Nvos02AllocMemory.FLAGS.setBits(argument, flags);
      Nvos02AllocMemory.MEMORY.set(argument, memory.address());
      Nvos02AllocMemory.LIMIT.set(argument, memory.byteSize() - 1);
      Nvos02AllocMemory.FD.set(argument, -1);
      return driver.call(card, ProgramEscape.ALLOC_MEMORY, argument);
    }
  }

  /** Frees an object in RM; what it had is given back by whoever forgets it. */
  int free(ProgramFile control, RmObject object) {
    return pools.free(control, object.name(), object.parent().handle());
  }

  private ProgramFile cardOf(ProgramFile control) {
    ProgramFile known = cards.get(control.number());
    if (known != null && driver.files().find(known.number()).isPresent()) {
      return known;
    }
    ProgramFile card = driver.files().openCard();
    boolean tied = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(NvRegisterFd.LAYOUT);
      NvRegisterFd.CONTROL_FD.set(argument, control.fd().number());
      int _ = driver.call(card, ProgramEscape.REGISTER_FD, argument);
      tied = true;
    } finally {
      if (!tied) {
        boolean _ = driver.files().close(card.number());
      }
    }
    cards.put(control.number(), card);
    return card;
  }

  /** Whether an object is video memory that nothing has mapped yet. */
  static boolean isReplaceable(RmObject object) {
    return object.is(ProgramClass.NV01_MEMORY_LOCAL_USER) && !object.isMappedByGpu();
  }
}
