package io.sluice.gpu;

import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtDirtyRead;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.testbed.checks.Held;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who holds how much, that it comes back, and that nobody sees what another one had. */
@ExtendWith(Seeds.class)
class MemoryAccountingTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int RELEASE_ONE_WORD = 2 | 1 << 24;

  @Test
  void twoOpens_sameAddressesAndHandles_seeOnlyTheirOwn() {
    try (Rig rig = new Rig()) {
      Client one = rig.open();
      Client two = rig.open();
      GuestChannel first = one.channel(one.vspaceNew());
      GuestChannel second = two.channel(two.vspaceNew());
      Client.Memory mine = one.memory(first.vid, PscnvGem.VRAM_SMALL, 4096);
      Client.Memory theirs = two.memory(second.vid, PscnvGem.VRAM_SMALL, 4096);
      assertThat(theirs.va()).isEqualTo(mine.va());
      assertThat(theirs.handle()).isEqualTo(mine.handle());
      first.submit(semaphore(mine.va(), 1, RELEASE_ONE_WORD));
      rig.run();
      assertThat(mine.bytes().get(INT, 0)).isEqualTo(1);
      assertThat(theirs.bytes().get(INT, 0)).isZero();
      second.submit(0xc0000000);
      rig.run();
      assertThat(Events.read(one)).isEmpty();
      assertThat(Events.read(two)).containsExactly("error " + second.cid + " 3");
      two.device.close();
      first.submit(semaphore(mine.va(), 2, RELEASE_ONE_WORD));
      rig.run();
      assertThat(mine.bytes().get(INT, 0)).isEqualTo(2);
    }
  }

  @Test
  void videoMemory_recycled_isZero() {
    try (Rig rig = new Rig()) {
      Client client = rig.open();
      int vid = client.vspaceNew();
      for (int flags : new int[] {PscnvGem.VRAM_SMALL, PscnvGem.SYSRAM_SNOOP}) {
        Client.Memory first = client.memory(vid, flags, 8192);
        first.bytes().fill((byte) 0x5a);
        client.unmap(vid, first.va());
        client.gemClose(first.handle());
        Client.Memory second = client.memory(vid, flags, 8192);
        assertThat(second.bytes().get(INT, 4096)).isZero();
        assertThat(first.bytes().get(INT, 0)).as("an old mapping shows the same").isZero();
        second.bytes().set(INT, 0, 7);
        assertThat(first.bytes().get(INT, 0)).isEqualTo(7);
        client.unmap(vid, second.va());
        client.gemClose(second.handle());
      }
    }
  }

  @Test
  void sweep_memoryTouchedWithoutHavingBeenAllocated_isTakenBack() {
    try (Rig rig = new Rig()) {
      Client client = rig.open();
      int kept = client.gemNew(PscnvGem.VRAM_SMALL, 4096);
      MemorySegment whole = client.mmap(GpuFile.VRAM_MAP_HANDLE, Rig.VRAM_BYTES);
      whole.set(INT, 0, 1);
      for (long offset = 1 << 20; offset < 5 << 20; offset += 4096) {
        whole.set(INT, offset, 1);
      }
      GpuFile file = ((OpenCard) client.device).file();
      assertThat(file.vram().file().allocatedBytes()).isGreaterThan(4 << 20);
      rig.nowNs += 1_000_000_000L;
      rig.run();
      assertThat(whole.get(INT, 0)).isEqualTo(1);
      assertThat(file.vram().file().allocatedBytes()).isEqualTo(4096);
      assertThat(whole.get(INT, 2 << 20)).isZero();
      assertThat(file.offences()).isEqualTo(1);
      assertThat(Events.read(client)).containsExactly("excess of bytes " + (4 << 20));
      assertThat(Events.read(client)).isEmpty();
      client.gemClose(kept);
    }
  }

  @Test
  void sweep_nothingTouched_isNoOffence() {
    try (Rig rig = new Rig()) {
      Client client = rig.open();
      client
          .mmap(PscnvMapHandle.ofBuffer(client.gemNew(PscnvGem.VRAM_SMALL, 1 << 20)), 1 << 20)
          .fill((byte) 1);
      for (int i = 0; i < 3; i++) {
        rig.nowNs += 1_000_000_000L;
        rig.run();
      }
      assertThat(((OpenCard) client.device).file().offences()).isZero();
      assertThat(Events.read(client)).isEmpty();
    }
  }

  @Test
  void dirtyRead_pagesTheGpuWrote_areToldAndForgotten() {
    try (Rig rig = new Rig()) {
      Client client = rig.open();
      GuestChannel channel = client.channel(client.vspaceNew());
      Client.Memory memory = client.memory(channel.vid, PscnvGem.VRAM_SMALL, 20 * 4096);
      memory.bytes().fill((byte) 1);
      channel.submit(semaphore(memory.va() + 3 * 4096, 1, RELEASE_ONE_WORD));
      channel.submit(semaphore(memory.va() + 17 * 4096 + 16, 1, 2));
      rig.run();
      assertThat(channel.reason()).isZero();
      assertThat(dirty(client, memory.handle(), 0, 20, 0)).containsExactly(3, 17);
      assertThat(dirty(client, memory.handle(), 3, 2, ExtDirtyRead.CLEAR)).containsExactly(0);
      assertThat(dirty(client, memory.handle(), 0, 20, 0)).containsExactly(17);
      assertThat(dirty(client, channel.ring.handle(), 0, 1, 0)).isEmpty();
    }
  }

  static List<Integer> dirty(Client client, int handle, long first, int pages, int flags) {
    MemorySegment argument = Client.block(PscnvIoctl.DIRTY_READ);
    ExtDirtyRead.HANDLE.setBits(argument, handle);
    ExtDirtyRead.FLAGS.setBits(argument, flags);
    ExtDirtyRead.FIRST_PAGE.set(argument, first);
    ExtDirtyRead.PAGES.set(argument, pages);
    client.call(PscnvIoctl.DIRTY_READ, argument);
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < pages; i++) {
      byte bits = ExtDirtyRead.BITMAP.slice(argument).get(ValueLayout.JAVA_BYTE, i / 8);
      if ((bits >> i % 8 & 1) != 0) {
        found.add(i);
      }
    }
    return found;
  }

  @Test
  void open_whenTheHostHasNothingLeft_leavesNothingBehind() {
    for (String call : new String[] {"memfdCreate", "addSeals", "mmap", "eventfd"}) {
      for (int n = 1; n <= 2; n++) {
        FakeKernel kernel = new FakeKernel();
        GpuConfig config = new GpuConfig(1 << 20, 1 << 20, 0);
        IdleStrategy idle = IdleStrategy.none();
        try (SoftwareGpu gpu = new SoftwareGpu(kernel, config, () -> 0, idle)) {
          kernel.fail(call, n, Errno.ENOMEM);
          int opened = 0;
          for (int i = 0; i < 3; i++) {
            try (DrmDevice _ = gpu.open()) {
              opened++;
            } catch (SyscallException e) {
              assertThat(e.is(Errno.ENOMEM)).isTrue();
            }
          }
          assertThat(opened).isEqualTo(2);
        }
        assertThat(kernel.openFds()).isEmpty();
        assertThat(kernel.mappings()).isZero();
      }
    }
  }

  /** What one guest of the history holds. */
  private static final class Holdings {
    final Client client;
    final TreeMap<Integer, Held> buffers = new TreeMap<>();
    final TreeMap<Long, Integer> mappings = new TreeMap<>();
    final int vid;

    record Held(long bytes, boolean inSystem) {}

    Holdings(Client client) {
      this.client = client;
      vid = client.vspaceNew();
    }
  }

  @RepeatedTest(10)
  void randomHistory_sumsAgreeAtEveryStep_andNothingIsLeft(RandomGenerator random) {
    try (Rig rig = new Rig()) {
      List<Holdings> guests = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        if (guests.isEmpty() || (guests.size() < 5 && random.nextInt(20) == 0)) {
          guests.add(new Holdings(rig.open()));
        } else {
          Holdings guest = guests.get(random.nextInt(guests.size()));
          if (random.nextInt(60) == 0) {
            guest.client.close();
            guests.remove(guest);
          } else {
            step(random, guest);
          }
        }
        rig.cycle();
        check(guests);
      }
      guests.forEach(guest -> guest.client.close());
      Client last = rig.open();
      assertThat(ExtFileQuery.VRAM_FREE.get(last.usage())).isEqualTo(Rig.VRAM_BYTES);
    }
  }

  private static void step(RandomGenerator random, Holdings guest) {
    try {
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          int flags = random.nextInt(3) * 4;
          long bytes = (1 + random.nextInt(64)) * 0x20000L;
          int handle = guest.client.gemNew(flags, bytes);
          guest.buffers.put(handle, new Holdings.Held(bytes, flags == PscnvGem.SYSRAM_SNOOP));
        }
        case 2 -> {
          if (!guest.buffers.isEmpty()) {
            int handle = guest.buffers.firstKey();
            guest.mappings.put(guest.client.map(guest.vid, handle), handle);
          }
        }
        case 3 -> {
          if (!guest.buffers.isEmpty()) {
            int handle = guest.buffers.lastKey();
            // Only buffers nobody maps, so that a handle names one buffer in the oracle.
            if (!guest.mappings.containsValue(handle)) {
              guest.client.gemClose(handle);
              guest.buffers.remove(handle);
            }
          }
        }
        case 4 -> {
          if (!guest.mappings.isEmpty()) {
            guest.client.unmap(guest.vid, guest.mappings.pollFirstEntry().getKey() + 5);
          }
        }
        default -> {
          if (random.nextBoolean()) {
            int cid = guest.client.chanNew(guest.vid);
            guest.client.fifoInitIb(cid, 0x3000_0000L, 3);
            guest.client.chanFree(cid);
          } else {
            int vid = guest.client.vspaceNew();
            guest.client.vspaceFree(vid);
          }
        }
      }
    } catch (SyscallException e) {
      assertThat(e.is(Errno.ENOMEM)).isTrue();
    }
  }

  private static void check(List<Holdings> guests) {
    long vram = 0;
    for (Holdings guest : guests) {
      long mine = 0;
      long system = 0;
      for (Holdings.Held held : guest.buffers.values()) {
        mine += held.inSystem() ? 0 : held.bytes();
        system += held.inSystem() ? held.bytes() : 0;
      }
      MemorySegment usage = guest.client.usage();
      assertThat(ExtFileQuery.VRAM_BYTES.get(usage)).isEqualTo(mine);
      assertThat(ExtFileQuery.SYSTEM_BYTES.get(usage)).isEqualTo(system);
      vram += mine;
    }
    for (Holdings guest : guests) {
      assertThat(ExtFileQuery.VRAM_FREE.get(guest.client.usage())).isEqualTo(Rig.VRAM_BYTES - vram);
    }
  }

  @Test
  void close_withEverythingInUse_givesItBackAndOthersGoOn() {
    try (Rig rig = new Rig()) {
      Client one = rig.open();
      GuestChannel blocked = one.channel(one.vspaceNew());
      blocked.submit(semaphore(blocked.ring.va(), 0x7777, 1));
      rig.run();
      Client two = rig.open();
      GuestChannel other = two.channel(two.vspaceNew());
      one.close();
      other.submit(0x20010014, 3);
      rig.run();
      assertThat(other.reference()).isEqualTo(3);
      assertThat(other.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    }
  }
}
