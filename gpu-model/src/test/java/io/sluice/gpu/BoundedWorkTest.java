package io.sluice.gpu;

import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.SyscallException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtExtent;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.ExtGemImport;
import io.sluice.abi.pscnv.ExtGemImportPages;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.ExtRegionDel;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.sys.Fd;
import io.sluice.gpu.mmu.GpuAddressSpace;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Guests that have made as much as they may: no ioctl of theirs does work in proportion to it while
 * it holds the GPU's lock. Work is counted in turns with the lock, and rounds of the engine between
 * calls.
 */
class BoundedWorkTest {
  private static final int ROUNDS = 4000;
  private static final int EXTENTS = 8192;
  private static final int EXTENTS_OF_A_CALL = 256;
  private static final long PAGE = 4096;

  private final Rig rig = new Rig();
  private final Client attacker = rig.open();
  private final Client victim = rig.open();
  private final Fd guest = rig.kernel.memfdCreate("guest", 1 << 20);

  @AfterEach
  void close() {
    rig.close();
    guest.close();
  }

  private int regionAdd() {
    MemorySegment argument = Client.block(PscnvIoctl.REGION_ADD);
    ExtRegionAdd.FD.set(argument, guest.number());
    ExtRegionAdd.FLAGS.setBits(argument, ExtRegionAdd.WRITABLE);
    ExtRegionAdd.SIZE_FIELD.set(argument, PAGE);
    return ExtRegionAdd.REGION.bits(attacker.call(PscnvIoctl.REGION_ADD, argument));
  }

  private int regionDel(int region) {
    MemorySegment argument = Client.block(PscnvIoctl.REGION_DEL);
    ExtRegionDel.REGION.setBits(argument, region);
    return ExtRegionDel.CHANNELS_ENDED.bits(attacker.call(PscnvIoctl.REGION_DEL, argument));
  }

  /** The same page of a region again and again, so that extents never become one. */
  private int scattered(int region, int extents) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_IMPORT);
    ExtGemImport.FLAGS.setBits(argument, PscnvGem.SYSRAM_SNOOP);
    ExtGemImport.SIZE_FIELD.set(argument, extents * PAGE);
    int handle = ExtGemImport.HANDLE.bits(attacker.call(PscnvIoctl.GEM_IMPORT, argument));
    // From the end to the beginning: each call would move all that is there.
    for (int done = extents; done > 0; done -= EXTENTS_OF_A_CALL) {
      importPages(handle, region, done - EXTENTS_OF_A_CALL);
    }
    return handle;
  }

  private void importPages(int handle, int region, int firstPage) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_IMPORT_PAGES);
    ExtGemImportPages.HANDLE.setBits(argument, handle);
    ExtGemImportPages.COUNT.setBits(argument, EXTENTS_OF_A_CALL);
    ExtGemImportPages.OFFSET.set(argument, firstPage * PAGE);
    for (int i = 0; i < EXTENTS_OF_A_CALL; i++) {
      long at = ExtGemImportPages.EXTENTS.offsetOf(i);
      ExtExtent.REGION.setBits(argument, at, region);
      ExtExtent.BYTES.set(argument, at, PAGE);
    }
    attacker.call(PscnvIoctl.GEM_IMPORT_PAGES, argument);
  }

  private void mapUntilFull(int vid, int handle) {
    for (int i = 0; i <= GpuAddressSpace.MAX_MAPPINGS; i++) {
      try {
        attacker.map(vid, handle, 0, 1L << 40, false);
      } catch (SyscallException full) {
        return;
      }
    }
    throw new AssertionError("a table without an end");
  }

  /** The reproducer of the review: channels x mappings x extents, and a region of no use. */
  @Test
  void regionDel_everythingMade_looksOnceAtEachSpaceAndTheVictimIsServed() {
    int named = regionAdd();
    int handle = scattered(named, EXTENTS);
    int vid = attacker.vspaceNew();
    mapUntilFull(vid, handle);
    List<Integer> channels = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      channels.add(attacker.chanNew(vid));
    }
    GuestChannel served = victim.channel(victim.vspaceNew());
    // 2^28 extents were looked at for each of 60 channels before: hours for so many rounds.
    for (int i = 1; i <= ROUNDS; i++) {
      assertThat(regionDel(regionAdd())).isZero();
      served.submit(0x20010014, i);
      assertThat(rig.cycle()).as("engine rounds between").isPositive();
      assertThat(served.reference()).isEqualTo(i);
    }
    assertThat(regionDel(named)).isEqualTo(channels.size());
    for (int cid : channels) {
      assertThat(ExtChanQuery.REASON.bits(attacker.query(cid))).isEqualTo(GuestAbi.ERROR_REVOKED);
    }
    assertThat(served.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
  }

  @Test
  void vspaceFree_manyMappings_givesTheLockUpInBetween() {
    int vid = attacker.vspaceNew();
    int handle = attacker.gemNew(PscnvGem.VRAM_SMALL, PAGE);
    int mappings = 20_000;
    for (int i = 0; i < mappings; i++) {
      attacker.map(vid, handle);
    }
    long before = rig.gpu.card().lock().turns();
    attacker.vspaceFree(vid);
    long turns = rig.gpu.card().lock().turns() - before;
    assertThat(turns).isGreaterThan(mappings / 512);
    assertThat(attacker.vspaceNew()).as("the number is free again").isEqualTo(vid);
  }

  @Test
  void chanFree_ofTheLastChannelOfAFreedSpace_givesTheLockUpInBetween() {
    int vid = attacker.vspaceNew();
    int handle = attacker.gemNew(PscnvGem.VRAM_SMALL, PAGE);
    int cid = attacker.chanNew(vid);
    for (int i = 0; i < 5_000; i++) {
      attacker.map(vid, handle);
    }
    attacker.vspaceFree(vid);
    attacker.gemClose(handle);
    long before = rig.gpu.card().lock().turns();
    attacker.chanFree(cid);
    assertThat(rig.gpu.card().lock().turns() - before).isGreaterThan(5_000 / 512);
    assertThat(ExtFileQuery.VRAM_BYTES.get(attacker.usage())).isZero();
  }

  @Test
  void map_moreThanAnOpenMayHave_namesTheBudget() {
    int handle = attacker.gemNew(PscnvGem.VRAM_SMALL, PAGE);
    for (int i = 0; i < 2; i++) {
      mapUntilFull(attacker.vspaceNew(), handle);
    }
    int third = attacker.vspaceNew();
    assertThatThrownBy(() -> attacker.map(third, handle))
        .isInstanceOf(SyscallException.class)
        .hasMessageContaining("too many mappings, limit=" + OpenLimits.MAX_MAPPINGS);
    attacker.gemClose(handle);
    GuestChannel other = victim.channel(victim.vspaceNew());
    other.submit(semaphore(other.ring.va() + 8, 1, 2 | 1 << 24));
    rig.run();
    assertThat(other.reason()).isZero();
  }

  /** Mapped, and their handles closed: buffers without a name live on. */
  @Test
  void create_moreBuffersThanAnOpenMayHave_namesTheBudget() {
    long bytes = (OpenLimits.MAX_BUFFERS + 1) * PAGE;
    try (Rig large = new Rig(new GpuConfig((bytes + (128 << 10)) & -(128 << 10), 0, 0))) {
      Client client = large.open();
      int vid = 0;
      for (int i = 0; i < OpenLimits.MAX_BUFFERS; i++) {
        vid = i % GpuAddressSpace.MAX_MAPPINGS == 0 ? client.vspaceNew() : vid;
        int handle = client.gemNew(PscnvGem.VRAM_SMALL, PAGE);
        client.map(vid, handle);
        client.gemClose(handle);
      }
      assertThatThrownBy(() -> client.gemNew(PscnvGem.VRAM_SMALL, PAGE))
          .isInstanceOf(SyscallException.class)
          .hasMessageContaining("too many buffers, limit=" + OpenLimits.MAX_BUFFERS);
      long before = large.gpu.card().lock().turns();
      client.vspaceFree(vid);
      assertThat(large.gpu.card().lock().turns() - before)
          .isGreaterThan(GpuAddressSpace.MAX_MAPPINGS);
      assertThat(client.gemNew(PscnvGem.VRAM_SMALL, PAGE)).isPositive();
    }
  }
}
