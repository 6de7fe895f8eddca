package io.sluice.channel.guest;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.record.AddressSpaceRecord;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.MappingRecord;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.Snapshot;
import io.sluice.channel.record.StateRecord;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A guest's state goes to another software GPU as bytes, and the guest goes on there. */
@ExtendWith(Seeds.class)
final class GuestSnapshotTest {
  private static final long RAM_BYTES = 1 << 20;
  private static final long RAM_IOVA = 0x4000_0000L;

  private final GpuRig source = new GpuRig();
  private final GpuRig target = new GpuRig();
  private final Guest guest = source.attach("moved");
  private final Fd ram = source.kernel.memfdCreate("ram", RAM_BYTES);
  private final List<RegisteredMemory> regions = knowRam(guest, RAM_BYTES);

  @AfterEach
  void close() throws Exception {
    source.close();
    target.close();
    ram.close();
  }

  /** The same guest memory, in pieces of a size. */
  private List<RegisteredMemory> knowRam(Guest knower, long pieceBytes) {
    List<RegisteredMemory> pieces = new ArrayList<>();
    for (long at = 0; at < RAM_BYTES; at += pieceBytes) {
      pieces.add(knower.buffers().addRegion(new Iova(RAM_IOVA + at), ram, at, pieceBytes, true));
    }
    return pieces;
  }

  private static List<StateRecord> throughBytes(List<StateRecord> records) {
    return Snapshot.read(ByteBuffer.wrap(Snapshot.write(records)));
  }

  /** What the migrator does with memory and pages, in the simplest way. */
  private void copyBytes(Guest from, Guest to, List<StateRecord> records) {
    MemorySegment fromVram = source.map(from.vramAperture().orElseThrow());
    MemorySegment toVram = target.map(to.vramAperture().orElseThrow());
    MemorySegment fromPages = source.map(from.controlPages());
    MemorySegment toPages = target.map(to.controlPages());
    for (StateRecord record : records) {
      if (record instanceof MemoryRecord memory && memory.apertureOffset().isPresent()) {
        long at = memory.apertureOffset().getAsLong();
        MemorySegment.copy(fromVram, at, toVram, at, memory.sizeBytes());
      } else if (record instanceof ChannelRecord channel) {
        long put = channel.channelId() * 4096L + GuestAbi.USERD_GP_PUT;
        toPages.set(ValueLayout.JAVA_INT, put, fromPages.get(ValueLayout.JAVA_INT, put));
      }
    }
  }

  /** What a restore has suspended goes on once, whoever asks again: an operator's suspend stays. */
  @Test
  void resumeAll_calledAgain_leavesAloneWhatAnOperatorSuspended() {
    Worker running = new Worker(source, guest, guest.spaces().create()).start();
    Worker suspended = new Worker(source, guest, guest.spaces().create()).start();
    guest.channels().suspend(suspended.cid, "the operator");
    source.run();
    guest.channels().detach(running.cid, "move");
    assertThat(guest.channels().drain(running.cid)).isTrue();
    List<StateRecord> records = throughBytes(guest.move().snapshot());
    Guest there = target.attach("moved");
    List<RegisteredMemory> _ = knowRam(there, RAM_BYTES);
    there.move().restore(records);
    copyBytes(guest, there, records);
    there.move().resumeAll("moved");
    there.move().resumeAll("moved, once more");
    assertThat(there.channels().query(running.cid).state()).isEqualTo(ChannelState.RUNNING);
    assertThat(there.channels().query(suspended.cid).state()).isEqualTo(ChannelState.SUSPENDED);
    there.channels().resume(suspended.cid, "the operator");
    assertThat(there.channels().query(suspended.cid).state()).isEqualTo(ChannelState.RUNNING);
  }

  private int reference(Guest of, GpuRig rig, int cid) {
    return rig.map(of.controlPages())
        .get(ValueLayout.JAVA_INT, cid * 4096L + GuestAbi.USERD_REFERENCE);
  }

  /** One of everything. */
  private Worker furnish() {
    int vid = guest.spaces().create();
    Worker detached = new Worker(source, guest, vid).start();
    int registered = guest.buffers().register(4, 77, 24576);
    guest
        .buffers()
        .setPages(registered, 0, List.of(new RegionExtent(regions.getFirst(), 8192, 16384)));
    guest
        .buffers()
        .setPages(registered, 16384, List.of(new RegionExtent(regions.getFirst(), 0, 8192)));
    guest.spaces().map(vid, registered, Worker.LOW, Worker.HIGH, true);
    guest.buffers().register(0xc, 78, 8192); // empty
    int kept = guest.buffers().allocate(8, 0xfe, 79, 200_000).handle();
    guest.spaces().map(vid, kept, Worker.LOW, Worker.HIGH, false);
    guest.buffers().free(kept);
    guest.buffers().free(guest.buffers().allocate(0, 0, 0, 4096).handle());
    Worker suspended = new Worker(source, guest, guest.spaces().create()).start();
    guest.channels().suspend(suspended.cid, "quota");
    guest.spaces().free(suspended.vid);
    Worker dead = new Worker(source, guest, vid).start();
    guest.channels().kill(dead.cid, GuestAbi.ERROR_TIMEOUT, 5);
    Worker fresh = new Worker(source, guest, vid);
    guest.channels().declareObject(fresh.cid, 3, 0x9039, 1);
    guest.channels().setupSegment(fresh.cid, new int[] {0x20010000, 0x9039});
    guest.buffers().setLimit(8 << 20);
    detached.submit(Worker.SET_REFERENCE, 1);
    source.run();
    guest.channels().detach(detached.cid, "move");
    assertThat(guest.channels().drain(detached.cid)).isTrue();
    detached.submit(Worker.SET_REFERENCE, 2);
    suspended.submit(Worker.SET_REFERENCE, 3);
    source.run();
    return detached;
  }

  @Test
  void snapshot_channelThatRunsOrDrains_isEbusy() {
    Worker worker = new Worker(source, guest, guest.spaces().create()).start();
    assertRefused(Errno.EBUSY, guest.move()::snapshot);
    GpuVa semaphore = worker.spareVa();
    worker.submit(
        Worker.SEMAPHORE,
        (int) (semaphore.value() >>> 32),
        (int) semaphore.value(),
        5,
        Worker.ACQUIRE);
    source.run();
    guest.channels().detach(worker.cid, "move");
    assertThat(guest.channels().drain(worker.cid)).isFalse();
    assertRefused(Errno.EBUSY, guest.move()::snapshot);
  }

  @Test
  void restore_guestThatIsNotEmpty_isEbusy() {
    List<StateRecord> records = guest.move().snapshot();
    guest.spaces().create();
    assertRefused(Errno.EBUSY, () -> guest.move().restore(records));
  }

  @Test
  void restore_withoutGuestMemory_isEfaultAndLeavesNothing() {
    furnish();
    List<StateRecord> records = guest.move().snapshot();
    Guest moved = target.attach("moved");
    assertRefused(Errno.EFAULT, () -> moved.move().restore(records));
    assertThat(moved.buffers().usage().vramBytes()).isZero();
    assertThat(moved.buffers().usage().systemBytes()).isZero();
    knowRam(moved, RAM_BYTES);
    moved.move().restore(records);
  }

  @Test
  void restore_onAnotherGpu_goesOnThereExactlyOnce() {
    Worker detached = furnish();
    List<StateRecord> records = throughBytes(guest.move().snapshot());
    Guest moved = target.attach("moved", new GpuRig.HeardEvents());
    knowRam(moved, 4096);
    moved.move().restore(records);
    copyBytes(guest, moved, records);
    assertThat(moved.buffers().use()).isEqualTo(guest.buffers().use());
    assertThat(moved.generation()).isEqualTo(2);
    assertThat(moved.channels().ids()).isEqualTo(guest.channels().ids());
    target.run();
    assertThat(reference(moved, target, detached.cid)).isEqualTo(1);
    for (int cid : moved.channels().ids()) {
      if (moved.channels().query(cid).state() == ChannelState.SUSPENDED) {
        moved.channels().resume(cid, "moved");
      }
    }
    target.run();
    assertThat(reference(moved, target, detached.cid)).isEqualTo(2);
    assertThat(moved.channels().query(detached.cid).usage().entries()).isEqualTo(2);
    int suspended = 2;
    assertThat(moved.channels().query(suspended).state()).isEqualTo(ChannelState.SUSPENDED);
    assertThat(reference(moved, target, suspended)).isZero();
    moved.channels().resume(suspended, "quota");
    target.run();
    assertThat(reference(moved, target, suspended)).isEqualTo(3);
    assertThat(moved.channels().query(3).cause().reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(moved.channels().query(4).state()).isEqualTo(ChannelState.NEW);
    moved.reset();
    assertThat(moved.buffers().usage().vramBytes()).isZero();
  }

  @Test
  void snapshot_ofTheRestored_saysTheSame() {
    furnish();
    Guest second = target.attach("moved");
    knowRam(second, 65536);
    second.move().restore(guest.move().snapshot());
    List<StateRecord> once = second.move().snapshot();
    Guest third = target.attach("moved");
    knowRam(third, RAM_BYTES);
    third.move().restore(once);
    List<StateRecord> twice = third.move().snapshot();
    assertThat(twice).hasSameSizeAs(once);
    for (int i = 0; i < once.size(); i++) {
      assertThat(comparable(twice.get(i))).isEqualTo(comparable(once.get(i)));
    }
  }

  /** Without what each restore changes: generation, and one suspend more. */
  private static StateRecord comparable(StateRecord record) {
    return switch (record) {
      case GuestRecord guest ->
          new GuestRecord(guest.name(), 1, guest.vramLimitBytes(), guest.chipset());
      case ChannelRecord channel when channel.state().isStarted() ->
          new ChannelRecord(
              channel.channelId(),
              channel.space(),
              channel.state(),
              0,
              channel.ring(),
              channel.objects(),
              channel.error(),
              channel.engineState(),
              channel.setupSegment());
      default -> record;
    };
  }

  /** Records from a liar: each attempt succeeds or leaves the guest as empty as it was. */
  @Test
  void restore_recordsThatDoNotFit_areRefusedAndLeaveNothing(RandomGenerator random) {
    furnish();
    List<StateRecord> records = guest.move().snapshot();
    Guest moved = target.attach("moved");
    knowRam(moved, RAM_BYTES);
    int refused = 0;
    for (int i = 0; i < 500; i++) {
      List<StateRecord> lies = new ArrayList<>(records);
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        lie(lies, random);
      }
      try {
        moved.move().restore(lies);
        moved.reset();
      } catch (RefusedException expected) {
        refused++;
      }
      assertThat(moved.buffers().usage().vramBytes()).as("attempt %d", i).isZero();
      assertThat(moved.buffers().usage().systemBytes()).as("attempt %d", i).isZero();
      assertThat(moved.buffers().use().videoBytes()).isZero();
    }
    assertThat(refused).isPositive();
    moved.move().restore(records);
  }

  private static void lie(List<StateRecord> records, RandomGenerator random) {
    if (records.size() < 2) {
      return;
    }
    int at = random.nextInt(records.size());
    int other = random.nextInt(records.size());
    switch (random.nextInt(4)) {
      case 0 -> records.remove(at);
      case 1 -> records.add(other, records.get(at));
      case 2 -> java.util.Collections.swap(records, at, other);
      default -> records.set(at, changed(records.get(at), random));
    }
  }

  private static StateRecord changed(StateRecord record, RandomGenerator random) {
    long some = random.nextInt(1, 8);
    return switch (record) {
      case MemoryRecord m ->
          new MemoryRecord(
              m.serial(),
              random.nextInt(6),
              random.nextInt(32),
              m.tileFlags(),
              m.cookie(),
              some * 4096,
              random.nextBoolean() && m.registered(),
              m.registered() ? OptionalLong.empty() : OptionalLong.of(some * 4096),
              !m.registered() && random.nextBoolean());
      case MemoryPagesRecord p -> new MemoryPagesRecord(some, p.pages());
      case AddressSpaceRecord a -> new AddressSpaceRecord(a.serial(), random.nextInt(1, 200));
      case MappingRecord m -> new MappingRecord(some, m.memory(), new GpuVa(some << 12));
      case ChannelRecord c ->
          new ChannelRecord(
              random.nextInt(1, 200),
              c.space(),
              c.state(),
              c.suspends(),
              c.ring(),
              c.objects(),
              c.error(),
              c.engineState(),
              c.setupSegment());
      default -> record;
    };
  }

  @Test
  void snapshot_revokedMemory_isLeftOut() {
    int vid = guest.spaces().create();
    int registered = guest.buffers().register(4, 0, 8192);
    guest.buffers().setPages(registered, 0, List.of(new RegionExtent(regions.getFirst(), 0, 8192)));
    guest.spaces().map(vid, registered, Worker.LOW, Worker.HIGH, false);
    int kept = guest.buffers().register(4, 0, 4096);
    guest.buffers().setPages(kept, 0, List.of(new RegionExtent(regions.getFirst(), 8192, 4096)));
    guest.spaces().map(vid, kept, Worker.LOW, Worker.HIGH, false);
    guest.buffers().free(kept);
    regions.getFirst().close();
    List<StateRecord> records = guest.move().snapshot();
    assertThat(records).hasSize(3);
    Guest moved = target.attach("moved");
    moved.move().restore(records);
    assertThat(moved.buffers().info(registered).sizeBytes()).isEqualTo(8192);
  }
}
