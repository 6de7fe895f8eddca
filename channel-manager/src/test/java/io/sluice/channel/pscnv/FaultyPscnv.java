package io.sluice.channel.pscnv;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.drm.GemClose;
import io.sluice.abi.pscnv.PscnvChanFree;
import io.sluice.abi.pscnv.PscnvChanNew;
import io.sluice.abi.pscnv.PscnvGemInfo;
import io.sluice.abi.pscnv.PscnvGetparam;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.pscnv.PscnvParam;
import io.sluice.abi.pscnv.PscnvVspaceMap;
import io.sluice.abi.pscnv.PscnvVspaceReq;
import io.sluice.abi.pscnv.PscnvVspaceUnmap;
import io.sluice.abi.sys.Fd;
import io.sluice.testbed.fakes.FakeKernel;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A pscnv as it is, bugs included: what would crash or leak in the host's kernel is an {@link
 * AssertionError} or a count here. Ids of channels and address spaces are the card's.
 */
final class FaultyPscnv implements DrmDevice {
  private static final Map<Integer, Long> PARAMETERS =
      Map.of(
          PscnvParam.PCI_VENDOR, 0x10deL,
          PscnvParam.PCI_DEVICE, 0x6c0L,
          PscnvParam.FB_SIZE, 1536L << 20,
          PscnvParam.CHIPSET_ID, 0xc0L,
          PscnvParam.PTIMER_TIME, 42L,
          PscnvParam.MP_COUNT, 15L);

  final FakeKernel kernel;
  final Map<Integer, Long> parameters = new HashMap<>(PARAMETERS);

  /** Address spaces, each with the length of what is at an address. */
  final Map<Integer, TreeMap<Long, Long>> spaces = new HashMap<>();

  final Map<Integer, Long> buffers = new HashMap<>();
  final Map<Integer, Fd> channelPages = new HashMap<>();
  Errno unknownCommand = Errno.ENOTTY;
  int leakedReferences;
  int nextCid = 40;
  boolean closed;

  FaultyPscnv(FakeKernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public void ioctl(int request, MemorySegment argument) {
    if (closed) {
      throw failure(Errno.EBADF);
    }
    if (request == DrmIoctl.GEM_CLOSE) {
      if (buffers.remove(GemClose.HANDLE.bits(argument)) == null) {
        throw failure(Errno.EINVAL);
      }
      return;
    }
    PscnvIoctl ioctl = PscnvIoctl.of(request).orElseThrow(() -> failure(unknownCommand));
    if (request != ioctl.request()) {
      throw new AssertionError("not the request that returns results, ioctl=" + ioctl);
    }
    switch (ioctl) {
      case GETPARAM ->
          PscnvGetparam.VALUE.set(argument, parameter(PscnvGetparam.PARAM.get(argument)));
      case GEM_NEW -> gemNew(argument);
      case VSPACE_NEW -> {
        spaces.put(spaces.size() + 7, new TreeMap<>());
        PscnvVspaceReq.VID.setBits(argument, spaces.size() + 6);
      }
      case VSPACE_FREE -> spaces.remove(PscnvVspaceReq.VID.bits(argument));
      case VSPACE_MAP -> map(argument);
      case VSPACE_UNMAP -> unmap(argument);
      case CHAN_NEW -> channelNew(argument);
      case CHAN_FREE -> channelFree(argument);
      case OBJ_ENG_NEW, FIFO_INIT_IB -> {}
      default -> throw failure(unknownCommand);
    }
  }

  private long parameter(long id) {
    Long value = parameters.get((int) id);
    if (value == null) {
      throw failure(Errno.EINVAL);
    }
    return value;
  }

  private void gemNew(MemorySegment argument) {
    int handle = buffers.size() + 1;
    long size = PscnvGemInfo.SIZE_FIELD.get(argument) + 4095 & -4096;
    buffers.put(handle, size);
    PscnvGemInfo.HANDLE.setBits(argument, handle);
    PscnvGemInfo.SIZE_FIELD.set(argument, size);
    PscnvGemInfo.MAP_HANDLE.set(argument, handle | 32); // the typo of GEM_INFO
  }

  private void map(MemorySegment argument) {
    TreeMap<Long, Long> space = spaces.get(PscnvVspaceMap.VID.bits(argument));
    Long size = buffers.get(PscnvVspaceMap.HANDLE.bits(argument));
    if (space == null || size == null) {
      throw failure(space == null ? Errno.ENOENT : Errno.EBADF);
    }
    long at = PscnvVspaceMap.START.get(argument);
    for (Map.Entry<Long, Long> entry : space.entrySet()) {
      if (entry.getKey() < at + size && entry.getKey() + entry.getValue() > at) {
        at = entry.getKey() + entry.getValue();
      }
    }
    if (at + size > PscnvVspaceMap.END.get(argument)) {
      leakedReferences++;
      throw failure(Errno.ENOMEM);
    }
    space.put(at, size);
    PscnvVspaceMap.OFFSET.set(argument, at);
  }

  private void unmap(MemorySegment argument) {
    TreeMap<Long, Long> space = spaces.get(PscnvVspaceUnmap.VID.bits(argument));
    if (space == null) {
      throw failure(Errno.ENOENT);
    }
    Map.@Nullable Entry<Long, Long> entry = space.floorEntry(PscnvVspaceUnmap.OFFSET.get(argument));
    if (entry == null
        || entry.getKey() + entry.getValue() <= PscnvVspaceUnmap.OFFSET.get(argument)) {
      throw new AssertionError("the host's kernel dereferences NULL");
    }
    space.remove(entry.getKey());
  }

  private void channelNew(MemorySegment argument) {
    int cid = nextCid++;
    channelPages.put(cid, kernel.memfdCreate("userd", 4096));
    PscnvChanNew.CID.setBits(argument, cid);
    PscnvChanNew.MAP_HANDLE.set(argument, PscnvMapHandle.ofChannel(cid));
  }

  private void channelFree(MemorySegment argument) {
    Fd page = channelPages.remove(PscnvChanFree.CID.bits(argument));
    if (page == null) {
      throw failure(Errno.ENOENT);
    }
    page.close();
    if (kernel.mappings() > 0) {
      throw new AssertionError("the channel lives on: its page is mapped");
    }
  }

  @Override
  public DrmMapping map(long mapHandle, long lengthBytes) {
    if (PscnvMapHandle.isChannel(mapHandle)) {
      Fd page = channelPages.get(PscnvMapHandle.channel(mapHandle));
      if (page == null) {
        throw failure(Errno.ENOENT);
      }
      return new DrmMapping(kernel.dup(page), 0, lengthBytes);
    }
    Long size = buffers.get(PscnvMapHandle.buffer(mapHandle));
    if (size == null || lengthBytes > size) {
      throw failure(Errno.EINVAL);
    }
    return new DrmMapping(kernel.memfdCreate("buffer", size), 0, lengthBytes);
  }

  @Override
  public void close() {
    closed = true;
    channelPages.values().forEach(Fd::close);
  }

  private static SyscallException failure(Errno errno) {
    return new SyscallException("ioctl", "fake", errno.number());
  }
}
