package io.sluice.channel.guest;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.AssuredBudget;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.record.StateRecord;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The heap of guests' tables: a limit for each and for all, with a part for each. */
final class TableHeapTest {
  private static final int VRAM = 0;
  private static final int SYSTEM = 4;
  private static final long PAGE = 4096;
  private static final long KIB = 1024;

  private final GpuRig rig = new GpuRig();
  private final AssuredBudget all = new AssuredBudget(512 * KIB, 4); // 64 KiB each, and 256
  private final MemoryBudget heap = all.part();
  private final Guest guest = rig.attach("greedy", heap);

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  /** How often a call goes before it is refused for want of heap. */
  private static int timesUntilFull(Runnable call) {
    for (int i = 0; ; i++) {
      try {
        call.run();
      } catch (RefusedException full) {
        assertThat(full.errno()).isEqualTo(Errno.ENOMEM);
        assertThat(full).hasMessageContaining("no more heap for this guest's tables");
        return i;
      }
    }
  }

  /** Fills the heap with registered buffers. */
  private static int fill(Guest guest) {
    return timesUntilFull(() -> guest.buffers().register(SYSTEM, 0, PAGE));
  }

  @Test
  void register_beyondTheHeap_isRefusedAndChangesNothing() {
    int made = fill(guest);
    TableUse before = guest.tables();
    MemoryUse use = guest.buffers().use();
    assertRefused(Errno.ENOMEM, () -> guest.buffers().register(SYSTEM, 0, PAGE));

    assertThat(before.buffers()).isEqualTo(made);
    assertThat(made * TableBytes.BUFFER).isBetween(256 * KIB, 320 * KIB);
    assertThat(guest.tables()).isEqualTo(before);
    assertThat(guest.buffers().use()).isEqualTo(use);
    assertThat(guest.buffers().usage().systemBytes()).isEqualTo(use.systemBytes());
    assertThat(heap.bytes()).isEqualTo(320 * KIB).isEqualTo(heap.limitBytes());
  }

  @Test
  void free_ofOneBuffer_makesRoomForAnother() {
    fill(guest);
    guest.buffers().free(1);

    assertThat(guest.buffers().register(SYSTEM, 0, PAGE)).isEqualTo(1);
    assertRefused(Errno.ENOMEM, () -> guest.buffers().register(SYSTEM, 0, PAGE));
  }

  @Test
  void allocate_beyondTheHeap_isRefusedWithoutMakingRoomOnTheGpu() {
    fill(guest);
    guest.buffers().setOverflowToSystem(true);
    guest
        .buffers()
        .setSharing(
            new MemorySharing() {
              @Override
              public void changed() {}

              @Override
              public Reservation makeRoom(long bytes) {
                throw new AssertionError("video memory is not what lacks");
              }

              @Override
              public Reservation makeRoom() {
                throw new AssertionError("nothing is restored");
              }
            });

    assertRefused(Errno.ENOMEM, () -> guest.buffers().allocate(VRAM, 0, 0, PAGE));
    assertThat(guest.buffers().usage().vramBytes()).isZero();
  }

  @Test
  void map_beyondTheHeap_isRefusedAndChangesNothing() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, PAGE).handle();
    int vid = guest.spaces().create();
    int mapped =
        timesUntilFull(() -> guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false));

    assertThat(guest.tables().mappings()).isEqualTo(mapped);
    assertThat(mapped * TableBytes.MAPPING).isBetween(300 * KIB, 320 * KIB);
    guest.spaces().unmap(vid, Worker.LOW);
    assertThat(guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false))
        .isEqualTo(Worker.LOW);
  }

  @Test
  void setPages_beyondTheHeap_isRefusedAndChangesNothing() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, PAGE);
    RegionExtent first = new RegionExtent(ram.region(), 0, PAGE);
    List<RegionExtent> two = List.of(first, first);
    int handle = guest.buffers().register(SYSTEM, 0, 4096 * PAGE);
    int[] page = {0};
    int filled =
        timesUntilFull(() -> {
          guest.buffers().setPages(handle, page[0] * PAGE, two);
          page[0] += 2;
        });

    assertThat(guest.tables().extents()).isEqualTo(2 * filled);
    assertRefused(Errno.ENOMEM, () -> guest.buffers().setPages(handle, page[0] * PAGE, two));
    assertThat(guest.tables().extents()).isEqualTo(2 * filled);
  }

  /** The software GPU keeps what the guest's own table forgets with its region. */
  @Test
  void regionsThatGo_giveNoHeapOfTheirBuffersBack() {
    int handle = guest.buffers().register(SYSTEM, 0, 4096 * PAGE);
    int[] page = {0};
    int filled =
        timesUntilFull(() -> {
          GpuRig.Ram ram = rig.ram(guest, 0x10000, PAGE);
          try {
            guest
                .buffers()
                .setPages(
                    handle, page[0]++ * PAGE, List.of(new RegionExtent(ram.region(), 0, PAGE)));
          } finally {
            ram.region().close();
          }
        });

    assertThat(filled * TableBytes.EXTENT).isLessThanOrEqualTo(320 * KIB);
    assertThat(guest.tables().extents()).isZero();
    guest.buffers().free(handle);
    assertThat(heap.bytes()).isLessThanOrEqualTo(32 * KIB);
  }

  /** Each is one more for the GPU, which joins none to the one behind it. */
  @Test
  void pagesThatAreSetFromTheEnd_countOneByOne() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 64 * PAGE);
    int handle = guest.buffers().register(SYSTEM, 0, 64 * PAGE);
    for (long page = 63; page >= 0; page--) {
      guest
          .buffers()
          .setPages(
              handle, page * PAGE, List.of(new RegionExtent(ram.region(), page * PAGE, PAGE)));
    }

    assertThat(guest.tables().extents()).isEqualTo(1);
    assertThat(heap.bytes()).isGreaterThan(64 * TableBytes.EXTENT);
  }

  @Test
  void pagesThatContinueEachOther_countOnce() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 64 * PAGE);
    int handle = guest.buffers().register(SYSTEM, 0, 64 * PAGE);
    for (long page = 0; page < 64; page++) {
      guest
          .buffers()
          .setPages(
              handle, page * PAGE, List.of(new RegionExtent(ram.region(), page * PAGE, PAGE)));
    }

    assertThat(heap.bytes()).isEqualTo(16 * KIB);
  }

  @Test
  void aLargeBuffer_countsTheMarksOfItsPages() {
    assertThat(TableBytes.ofBuffer(64L << 30) - TableBytes.BUFFER).isBetween(2L << 20, 3L << 20);
    assertRefused(Errno.ENOMEM, () -> guest.buffers().register(SYSTEM, 0, 64L << 30));
    assertThat(heap.bytes()).isZero();
  }

  @Test
  void guestsThatTakeAll_leaveTheOthersTheirParts() {
    fill(guest);
    for (int i = 0; i < 3; i++) {
      MemoryBudget part = all.part();
      int made = fill(rig.attach("modest-" + i, part));
      assertThat(part.bytes()).isEqualTo(64 * KIB);
      assertThat(made).isEqualTo((int) (64 * KIB / (TableBytes.BUFFER + TableBytes.SLOT)));
    }
  }

  @Test
  void close_ofAFullGuest_givesAllBack() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, PAGE);
    int handle = guest.buffers().register(SYSTEM, 0, PAGE);
    guest.buffers().setPages(handle, 0, List.of(new RegionExtent(ram.region(), 0, PAGE)));
    int vid = guest.spaces().create();
    guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
    fill(guest);
    guest.close();

    assertThat(heap.bytes()).isZero();
  }

  @Test
  void close_ofAGuestThatIsGivenAway_givesAllBack() {
    fill(guest);
    guest.giveAway(true);
    guest.close();

    assertThat(heap.bytes()).isZero();
  }

  @Test
  void reset_ofAFullGuest_hasRoomForAsMuch() {
    int made = fill(guest);
    guest.reset();

    assertThat(heap.bytes()).isLessThanOrEqualTo(32 * KIB + made * TableBytes.SLOT);
    assertThat(fill(guest)).isEqualTo(made);
  }

  @Test
  void restore_ofMoreThanTheHeapHas_isRefusedAndLeavesNothing() {
    fill(guest);
    List<StateRecord> records = guest.move().snapshot();
    MemoryBudget part = all.part();
    Guest other = rig.attach("other", part);

    assertRefused(Errno.ENOMEM, () -> other.move().restore(records));
    assertThat(other.tables()).isEqualTo(TableUse.NONE);
    guest.close();
    other.move().restore(records);
    assertThat(part.bytes()).isEqualTo(320 * KIB);
  }
}
