package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.Refusals;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of entries in a guest's tables, call by call. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TableUseTest {
  private static final int VRAM = 0;
  private static final int SYSTEM = 4;
  private static final long PAGE = 4096;

  private final GpuRig rig = new GpuRig();
  private final Guest guest = rig.attach("counted");

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  @Test
  void tables_ofAGuestThatHasNothing_areEmpty() {
    assertThat(guest.tables()).isEqualTo(TableUse.NONE);
  }

  @Test
  void tables_afterEachCall_countWhatIsThere() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 16 * PAGE);
    assertThat(guest.tables()).isEqualTo(new TableUse(0, 0, 0, 0, 0, 1));
    int handle = guest.buffers().register(SYSTEM, 0, 2 * PAGE);
    guest
        .buffers()
        .setPages(
            handle,
            0,
            List.of(
                new RegionExtent(ram.region(), 4 * PAGE, PAGE),
                new RegionExtent(ram.region(), 0, PAGE)));
    int vid = guest.spaces().create();
    assertThat(guest.tables()).isEqualTo(new TableUse(1, 1, 1, 0, 2, 1));
    guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
    guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
    guest.buffers().free(handle);
    assertThat(guest.tables()).isEqualTo(new TableUse(0, 1, 1, 2, 2, 1));
    guest.spaces().free(vid);
    assertThat(guest.tables()).isEqualTo(new TableUse(0, 0, 0, 0, 0, 1));
    ram.region().close();
    assertThat(guest.tables()).isEqualTo(TableUse.NONE);
  }

  @Test
  void tables_afterACallThatWasRefused_areAsBefore() {
    int handle = guest.buffers().register(SYSTEM, 0, PAGE);
    TableUse before = guest.tables();
    Refusals.assertRefused(
        Errno.ENOENT, () -> guest.spaces().map(1, handle, Worker.LOW, Worker.HIGH, false));
    Refusals.assertRefused(Errno.EBADF, () -> guest.buffers().free(handle + 1));
    assertThat(guest.tables()).isEqualTo(before);
  }

  @Test
  void tables_afterAReset_haveTheRegionsAlone() {
    rig.ram(guest, 0x10000, PAGE);
    guest.buffers().allocate(VRAM, 0, 0, PAGE);
    guest.channels().create(guest.spaces().create());
    guest.reset();
    assertThat(guest.tables()).isEqualTo(new TableUse(0, 0, 0, 0, 0, 1));
  }

  /** What moves buffers runs its last part under the guest's lock. */
  @Test
  void tables_whileAnotherCallIsUnderWay_areToldAtOnce() {
    guest.buffers().allocate(VRAM, 0, 0, PAGE);
    List<TableUse> told = new ArrayList<>();
    int _ =
        guest
            .buffers()
            .move(
                List.of(),
                true,
                () -> told.add(CompletableFuture.supplyAsync(guest::tables).join()));
    assertThat(told).containsExactly(new TableUse(1, 1, 0, 0, 0, 0));
  }

  @Test
  void tables_ofAClosedGuest_areRefused() {
    guest.close();
    Refusals.assertRefused(Errno.ENODEV, guest::tables);
  }
}
