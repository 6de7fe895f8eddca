package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.channel.guest.GuestMove.InFlight;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a move sees of a guest's work. */
final class GuestMoveTest {
  private final GpuRig rig = new GpuRig();
  private final Guest guest = rig.attach("moved");

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  @Test
  void look_channelsWithoutWork_countsNoEntries() {
    Worker _ = new Worker(rig, guest, guest.spaces().create());
    Worker started = new Worker(rig, guest, guest.spaces().create()).start();
    started.submit(Worker.SET_REFERENCE, 1);
    rig.run();
    assertThat(guest.move().look()).isEqualTo(new InFlight(1, 0, 0, 0));
  }

  @Test
  void starts_channelsThatBeginOrGoOn_areCounted() {
    long none = guest.move().starts();
    Worker one = new Worker(rig, guest, guest.spaces().create());
    assertThat(guest.move().starts()).isEqualTo(none);
    Worker _ = one.start();
    assertThat(guest.move().starts()).isEqualTo(none + 1);
    assertThat(guest.move().detachAll("moves")).isEqualTo(1);
    assertThat(guest.move().drain("moves")).isInstanceOf(GuestMove.Drain.Drained.class);
    assertThat(guest.move().starts()).isEqualTo(none + 1);
    Worker _ = new Worker(rig, guest, guest.spaces().create()).start();
    assertThat(guest.move().starts()).isEqualTo(none + 2);
    assertThat(guest.move().attachAll("stays")).isEqualTo(1);
    assertThat(guest.move().starts()).isEqualTo(none + 3);
  }

  @Test
  void look_channelThatWaits_countsItsEntryAndThoseBehind() {
    Worker worker = new Worker(rig, guest, guest.spaces().create()).start();
    GpuVa semaphore = worker.spareVa();
    worker.submit(
        Worker.SEMAPHORE,
        (int) (semaphore.value() >>> 32),
        (int) semaphore.value(),
        5,
        Worker.ACQUIRE);
    worker.submit(Worker.SET_REFERENCE, 1);
    worker.submit(Worker.SET_REFERENCE, 2);
    rig.run();
    InFlight found = guest.move().look();
    assertThat(found.channels()).isEqualTo(1);
    assertThat(found.entries()).isEqualTo(3);
    guest.channels().detach(worker.cid, "moves");
    assertThat(guest.move().look().channels()).isZero();
  }
}
