package io.sluice.abi.pscnv;

import io.sluice.abi.drm.DrmIoctl;
import java.lang.foreign.StructLayout;
import java.util.Optional;

/**
 * Every ioctl of pscnv, and the extensions of the software GPU.
 *
 * <p>A driver finds the ioctl by its number and copies as much, in the directions, as the caller's
 * word says. libpscnv always asks for both directions, whatever the header declares, and some calls
 * return nothing otherwise; so {@link #request} is what to issue, {@link #headerRequest} what the
 * header says. Sources: pscnv_drm.h; docs/architecture.md, "Extensions of the software GPU".
 */
public enum PscnvIoctl {
  /** Asks a parameter of the card. */
  GETPARAM(0x00, DrmIoctl.READ | DrmIoctl.WRITE, PscnvGetparam.LAYOUT),

  /** Makes a buffer. */
  GEM_NEW(0x20, DrmIoctl.READ | DrmIoctl.WRITE, PscnvGemInfo.LAYOUT),

  /** Tells of a buffer. */
  GEM_INFO(0x21, DrmIoctl.READ | DrmIoctl.WRITE, PscnvGemInfo.LAYOUT),

  /** Makes an address space. */
  VSPACE_NEW(0x22, DrmIoctl.READ, PscnvVspaceReq.LAYOUT),

  /** Drops an address space. */
  VSPACE_FREE(0x23, DrmIoctl.WRITE, PscnvVspaceReq.LAYOUT),

  /** Maps a buffer. */
  VSPACE_MAP(0x24, DrmIoctl.READ | DrmIoctl.WRITE, PscnvVspaceMap.LAYOUT),

  /** Unmaps a buffer. */
  VSPACE_UNMAP(0x25, DrmIoctl.WRITE, PscnvVspaceUnmap.LAYOUT),

  /** Makes a channel. */
  CHAN_NEW(0x26, DrmIoctl.READ | DrmIoctl.WRITE, PscnvChanNew.LAYOUT),

  /** Drops a channel. */
  CHAN_FREE(0x27, DrmIoctl.WRITE, PscnvChanFree.LAYOUT),

  /** Makes a DMA object; not on Fermi. */
  OBJ_VDMA_NEW(0x28, DrmIoctl.WRITE, PscnvObjVdmaNew.LAYOUT),

  /** Starts a channel in DMA mode; not on Fermi. */
  FIFO_INIT(0x29, DrmIoctl.WRITE, PscnvFifoInit.LAYOUT),

  /** Attaches an engine. */
  OBJ_ENG_NEW(0x2a, DrmIoctl.WRITE, PscnvObjEngNew.LAYOUT),

  /** Gives a channel its GPFIFO. */
  FIFO_INIT_IB(0x2b, DrmIoctl.WRITE, PscnvFifoInitIb.LAYOUT),

  /** Reads a word; Gdev's pscnv only, as all up to PHYS_GETADDR. */
  VM_READ32(0x2c, DrmIoctl.WRITE, PscnvVm32.LAYOUT),

  /** Writes a word. */
  VM_WRITE32(0x2d, DrmIoctl.WRITE, PscnvVm32.LAYOUT),

  /** Reads bytes. */
  VM_READ(0x2e, DrmIoctl.WRITE, PscnvVmBuffer.LAYOUT),

  /** Writes bytes. */
  VM_WRITE(0x2f, DrmIoctl.WRITE, PscnvVmBuffer.LAYOUT),

  /** Makes a buffer mappable. */
  VM_MAP(0x30, DrmIoctl.WRITE, PscnvVmMap.LAYOUT),

  /** Undoes VM_MAP. */
  VM_UNMAP(0x31, DrmIoctl.WRITE, PscnvVmMap.LAYOUT),

  /** Tells a bus address. */
  PHYS_GETADDR(0x32, DrmIoctl.WRITE, PscnvPhysGetaddr.LAYOUT),

  /** Tells what the software GPU offers; an extension, as all that follow. */
  EXT_INFO(0x50, DrmIoctl.READ | DrmIoctl.WRITE, ExtInfo.LAYOUT),

  /** Gives an eventfd. */
  EVENT_FD(0x51, DrmIoctl.READ | DrmIoctl.WRITE, ExtEventFd.LAYOUT),

  /** Takes event records. */
  EVENT_READ(0x52, DrmIoctl.READ | DrmIoctl.WRITE, ExtEventRead.LAYOUT),

  /** Registers guest memory. */
  REGION_ADD(0x53, DrmIoctl.READ | DrmIoctl.WRITE, ExtRegionAdd.LAYOUT),

  /** Takes guest memory back. */
  REGION_DEL(0x54, DrmIoctl.READ | DrmIoctl.WRITE, ExtRegionDel.LAYOUT),

  /** Makes an empty buffer for guest memory. */
  GEM_IMPORT(0x55, DrmIoctl.READ | DrmIoctl.WRITE, ExtGemImport.LAYOUT),

  /** Fills it. */
  GEM_IMPORT_PAGES(0x56, DrmIoctl.READ | DrmIoctl.WRITE, ExtGemImportPages.LAYOUT),

  /** Makes a channel with a page of choice. */
  CHAN_NEW_AT(0x57, DrmIoctl.READ | DrmIoctl.WRITE, ExtChanNewAt.LAYOUT),

  /** Suspends, resumes, kills, detaches, attaches. */
  CHAN_CONTROL(0x58, DrmIoctl.READ | DrmIoctl.WRITE, ExtChanControl.LAYOUT),

  /** Tells of a channel. */
  CHAN_QUERY(0x59, DrmIoctl.READ | DrmIoctl.WRITE, ExtChanQuery.LAYOUT),

  /** Saves and restores a channel. */
  CHAN_STATE(0x5a, DrmIoctl.READ | DrmIoctl.WRITE, ExtChanState.LAYOUT),

  /** Sets a parameter of a channel. */
  CHAN_PARAM(0x5b, DrmIoctl.READ | DrmIoctl.WRITE, ExtChanParam.LAYOUT),

  /** Moves a buffer to a pool. */
  GEM_POOL(0x5c, DrmIoctl.READ | DrmIoctl.WRITE, ExtGemPool.LAYOUT),

  /** Tells which pages the GPU wrote. */
  DIRTY_READ(0x5d, DrmIoctl.READ | DrmIoctl.WRITE, ExtDirtyRead.LAYOUT),

  /** Tells what this open uses. */
  FILE_QUERY(0x5e, DrmIoctl.READ | DrmIoctl.WRITE, ExtFileQuery.LAYOUT),

  /** Makes a buffer at a place. */
  GEM_NEW_AT(0x5f, DrmIoctl.READ | DrmIoctl.WRITE, ExtGemNewAt.LAYOUT);

  private static final int[] NUMBERS = new int[DrmIoctl.COMMAND_END - DrmIoctl.COMMAND_BASE];
  private static final PscnvIoctl[] ALL = values();

  static {
    for (PscnvIoctl ioctl : ALL) {
      NUMBERS[ioctl.nr] = ioctl.ordinal() + 1;
    }
  }

  private final int nr;
  private final int declaredDirection;
  private final StructLayout layout;

  PscnvIoctl(int nr, int declaredDirection, StructLayout layout) {
    this.nr = nr;
    this.declaredDirection = declaredDirection;
    this.layout = layout;
  }

  /** The driver's command number, 0 to 0x5f; in the request word it is 0x40 higher. */
  public int nr() {
    return nr;
  }

  /** Bytes of the argument. */
  public int sizeBytes() {
    return (int) layout.byteSize();
  }

  /** The argument's structure. */
  public StructLayout layout() {
    return layout;
  }

  /** The request word to issue: both directions. */
  public int request() {
    return DrmIoctl.request(
        DrmIoctl.READ | DrmIoctl.WRITE, DrmIoctl.COMMAND_BASE + nr, sizeBytes());
  }

  /** The request word with the directions that the header declares. */
  public int headerRequest() {
    return DrmIoctl.request(declaredDirection, DrmIoctl.COMMAND_BASE + nr, sizeBytes());
  }

  /**
   * The ioctl of a request word, by its type and number; its size and directions are not looked at.
   */
  public static Optional<PscnvIoctl> of(int request) {
    int command = DrmIoctl.number(request) - DrmIoctl.COMMAND_BASE;
    if (DrmIoctl.type(request) != DrmIoctl.TYPE || command < 0 || command >= NUMBERS.length) {
      return Optional.empty();
    }
    int found = NUMBERS[command];
    return found == 0 ? Optional.empty() : Optional.of(ALL[found - 1]);
  }
}
