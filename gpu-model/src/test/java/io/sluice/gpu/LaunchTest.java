package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtDirtyRead;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Launches, and the ways in which a grid ends before its time. */
@Timeout(60)
class LaunchTest {
  /** Many more than a grid that counts would need to count once. */
  private static final int CYCLES_OF_A_GRID = 10_000;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int COMPUTE = 0x90c0;

  private final ExecutorService compute = Executors.newFixedThreadPool(2);
  private final Rig rig = new Rig(compute, 2);
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = new GuestChannel(client, vid, 9);
  private final Client.Memory target = client.memory(vid, PscnvGem.VRAM_SMALL, 4096);

  @AfterEach
  void close() throws InterruptedException {
    rig.close();
    compute.shutdown();
    assertThat(compute.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  private static int[] method(int method, int... data) {
    return join(new int[] {0x20000000 | data.length << 16 | method >> 2}, data);
  }

  /** What a driver sends for a launch of blocks of 32 threads. */
  private int[] launch(GuestChannel on, long[] program, int blocks) {
    int space = on.vid;
    Client.Memory code =
        on.client.memory(space, PscnvGem.VRAM_SMALL, Math.max(4096, program.length * 8L));
    Client.Memory bank = on.client.memory(space, PscnvGem.VRAM_SMALL, 4096);
    for (int i = 0; i < program.length; i++) {
      code.bytes().setAtIndex(ValueLayout.JAVA_LONG, i, program[i]);
    }
    bank.bytes().set(ValueLayout.JAVA_LONG, 0x20, target.va());
    List<int[]> words = new ArrayList<>();
    words.add(method(0, COMPUTE));
    words.add(method(0x1608, (int) (code.va() >>> 32), (int) code.va()));
    words.add(method(0x2380, 0x100, (int) (bank.va() >>> 32), (int) bank.va()));
    words.add(method(0x1694, 1));
    words.add(method(0x214, 0x01000000));
    words.add(method(0x77c, 0x02000000));
    words.add(method(0x238, 1 << 16 | blocks, 1));
    words.add(method(0x3ac, 1 << 16 | 32, 1));
    words.add(method(0x250, 32));
    words.add(method(0x2c0, 20));
    words.add(method(0x368, 0x1000));
    return words.stream().reduce(new int[0], Words::join);
  }

  /** Runs the engine until a condition holds. */
  private void until(java.util.function.BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      rig.cycle();
      Thread.onSpinWait();
    }
  }

  private void startCounting() {
    channel.submit(launch(channel, TestKernels.COUNT, 1));
    until(() -> counter() > 0);
  }

  private int counter() {
    return (int) ValueLayout.JAVA_INT.varHandle().getVolatile(target.bytes(), 0L);
  }

  /** Whether nobody counts any more. */
  private boolean standsStill() {
    int before = counter();
    for (int i = 0; i < CYCLES_OF_A_GRID; i++) {
      rig.cycle();
    }
    return counter() == before;
  }

  @Test
  void launch_emptyKernel_ends() {
    channel.submit(join(launch(channel, TestKernels.NOTHING, 100), new int[] {0x20010014, 7}));

    until(() -> channel.reference() == 7);

    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
  }

  /** No time passes, so that a look that is due has no part in it. */
  @Test
  void launch_gridThatEnds_wakesTheEngineWhichGoesOnAtOnce() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (Rig held = new Rig(tasks::add, 1)) {
      Client guest = held.open();
      GuestChannel waiting = new GuestChannel(guest, guest.vspaceNew(), 9);
      int[] launch = launch(waiting, TestKernels.NOTHING, 1);
      waiting.submit(join(launch, new int[] {0x20010014, 7}));
      held.cycle();
      int wakes = held.wakes.get();
      assertThat(held.gpu.engine().doWork(held.nowNs)).isZero();
      assertThat(held.gpu.engine().idleNs()).as("no spinning meanwhile").isPositive();

      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
      assertThat(held.wakes.get()).isGreaterThan(wakes);
      assertThat(held.gpu.engine().doWork(held.nowNs)).isPositive();

      assertThat(waiting.reference()).isEqualTo(7);
    }
  }

  @Test
  void launch_endlessKernel_leavesOtherChannelsAlone() {
    GuestChannel other = new GuestChannel(client, vid, 9);
    channel.submit(launch(channel, TestKernels.ENDLESS, 4));
    rig.cycle();

    other.submit(join(launch(other, TestKernels.NOTHING, 100), new int[] {0x20010014, 7}));
    until(() -> other.reference() == 7);

    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    MemorySegment query = channel.query();
    assertThat(ExtChanQuery.RUNNING_NS.get(query)).isPositive();
    assertThat(ExtChanQuery.FLAGS.bits(query) & ExtChanQuery.DRAINED).isZero();
  }

  @Test
  void kill_runningGrid_storesNothingAfterwards() {
    startCounting();
    rig.cycle(); // GPU time passes for it

    client.control(channel.cid, ExtChanControl.KILL, GuestAbi.ERROR_TIMEOUT, 5);

    assertThat(standsStill()).isTrue();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(ExtChanQuery.BUSY_NS.get(channel.query())).isPositive();
  }

  @Test
  void free_runningGrid_storesNothingAfterwards() {
    startCounting();

    client.chanFree(channel.cid);

    assertThat(standsStill()).isTrue();
  }

  @Test
  void close_runningGrid_storesNothingAfterwards() {
    startCounting();

    client.close();

    rig.cycle();
  }

  @Test
  void unmap_whatAGridStoresTo_isAPageFault() {
    startCounting();

    client.unmap(vid, target.va());
    until(() -> channel.state() == GuestAbi.CHANNEL_DEAD);

    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.faultAddress()).isEqualTo(target.va());
    assertThat(channel.info() & 0x100).as("a write").isEqualTo(0x100);
  }

  @Test
  void map_whileAGridRuns_letsItGoOn() {
    startCounting();

    client.memory(vid, PscnvGem.VRAM_SMALL, 4096);
    int before = counter();
    until(() -> counter() != before);

    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
  }

  @Test
  void dirtyRead_clearedWhileAGridRuns_isMarkedAgain() {
    startCounting();

    assertThat(MemoryAccountingTest.dirty(client, target.handle(), 0, 1, ExtDirtyRead.CLEAR))
        .containsExactly(0);
    int before = counter();
    until(() -> counter() != before);

    assertThat(MemoryAccountingTest.dirty(client, target.handle(), 0, 1, 0)).containsExactly(0);
  }

  @Test
  void suspend_whileAGridRuns_letsItEndAndKeepsTheRest() {
    channel.submit(join(launch(channel, TestKernels.AWAIT, 4), new int[] {0x20010014, 7}));
    rig.cycle();
    client.control(channel.cid, ExtChanControl.SUSPEND);
    for (int i = 0; i < 10; i++) {
      rig.cycle();
    }
    assertThat(ExtChanQuery.RUNNING_NS.get(channel.query())).as("it still runs").isPositive();

    ValueLayout.JAVA_INT.varHandle().setVolatile(target.bytes(), 0L, 1);
    until(() -> ExtChanQuery.RUNNING_NS.get(channel.query()) == 0);

    assertThat(channel.reference()).isZero();
    client.control(channel.cid, ExtChanControl.RESUME);
    until(() -> channel.reference() == 7);
  }

  @Test
  void launch_illegalInstruction_endsTheChannelWithItsPc() {
    channel.submit(launch(channel, TestKernels.ILLEGAL, 1));

    until(() -> channel.state() == GuestAbi.CHANNEL_DEAD);

    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_SM);
    assertThat(channel.info()).as("INVALID_OPCODE").isEqualTo(9);
    assertThat(channel.faultAddress()).isEqualTo(8);
  }

  @Test
  void query_afterALaunch_saysThatAllWasCompiled() {
    channel.submit(join(launch(channel, TestKernels.NOTHING, 100), new int[] {0x20010014, 7}));
    until(() -> channel.reference() == 7);

    assertThat(ExtChanQuery.INSTRUCTIONS.get(channel.query())).isEqualTo(100);
    assertThat(ExtChanQuery.INTERPRETED.get(channel.query())).isZero();
  }

  @Test
  void kill_endlessBarriers_endsThem() {
    channel.submit(launch(channel, TestKernels.BARRIERS, 4));
    rig.cycle();

    client.control(channel.cid, ExtChanControl.KILL, GuestAbi.ERROR_TIMEOUT, 5);

    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
  }

  /** Instructions enough that one method could not hold them, without a branch. */
  @Test
  void kill_longStraightProgram_endsIt() {
    long[] program = new long[16_000];
    java.util.Arrays.fill(program, 0x4800c00004411c03L); // IADD R4, R4, 1
    program[0] = 0x2800400080009de4L; // MOV R2, c[0][0x20]
    program[1] = 0x280040009000dde4L; // MOV R3, c[0][0x24]
    program[2] = 0x1800000004015de2L; // MOV32I R5, 1
    program[3] = 0x9400000000215c85L; // ST.E [R2], R5
    program[program.length - 1] = 0x8000000000001de7L; // EXIT
    channel.submit(launch(channel, program, 60_000));
    until(() -> counter() == 1);

    client.control(channel.cid, ExtChanControl.KILL, GuestAbi.ERROR_TIMEOUT, 5);

    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(ExtChanQuery.INTERPRETED.get(channel.query())).isZero();
  }

  @Test
  void launch_misalignedAddress_endsTheChannelWithItsPc() {
    channel.submit(launch(channel, TestKernels.MISALIGNED, 1));

    assertWarpError(15, 8);
  }

  @Test
  void launch_unmappedAddress_endsTheChannelWithTheAddress() {
    channel.submit(launch(channel, TestKernels.UNMAPPED, 1));

    until(() -> channel.state() == GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.faultAddress()).isEqualTo(0x7000_0000L);
  }

  @Test
  void launch_endlessCalls_overflowTheStack() {
    channel.submit(launch(channel, TestKernels.CALLS, 1));

    assertWarpError(1, 0);
  }

  @Test
  void launch_barrierNobodyElseReaches_endsTheChannel() {
    channel.submit(launch(channel, TestKernels.LONELY_BARRIER, 1));

    until(() -> channel.state() == GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_SM);
    assertThat(channel.info()).as("INVALID_PARAM").isEqualTo(17);
  }

  /** The channel ends with a warp error, and another goes on. */
  private void assertWarpError(int error, long pc) {
    until(() -> channel.state() == GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_SM);
    assertThat(channel.info()).isEqualTo(error);
    assertThat(channel.faultAddress()).isEqualTo(pc);
    GuestChannel other = new GuestChannel(client, vid, 9);
    other.submit(join(launch(other, TestKernels.NOTHING, 1), new int[] {0x20010014, 7}));
    until(() -> other.reference() == 7);
  }

  @Test
  void launch_badShapes_endTheChannel() {
    int[][] shapes = {
      method(0x238, 1 << 16, 1), // no blocks in x
      method(0x238, 1, 1), // in y
      method(0x238, 1 << 16 | 1, 0), // in z
      method(0x3ac, 1 << 16, 1), // no threads in x
      method(0x3ac, 32, 1), // in y
      method(0x3ac, 1 << 16 | 32, 0), // in z
      method(0x3ac, 1 << 16 | 64, 1), // not what CTA_THREAD_COUNT says
      join(method(0x3ac, 1 << 16 | 1025, 1), method(0x250, 1025)), // too many threads in x
      join(method(0x3ac, 1025 << 16 | 1, 1), method(0x250, 1025)), // in y
      join(method(0x3ac, 1 << 16 | 1, 65), method(0x250, 65)), // in z
      join(method(0x3ac, 64 << 16 | 64, 1), method(0x250, 4096)), // in all
      method(0x2c0, 64), // too many registers
      method(0x2c0, 0x80000000), // many more
      method(0x254, 17), // too many barriers
      method(0x254, 0xffffffff), // many more
      method(0x24c, 0xc080), // too much shared memory
      method(0x204, 0x7fffffff), // too much local memory
      method(0x204, 0x70000, 0x70000), // together
      method(0x20c, 0x200000), // too large a call stack
      method(0x20c, 0x80000000), // much larger
      method(0x1608, 0, 0x20000001) // a program at an odd address
    };
    for (int[] shape : shapes) {
      GuestChannel one = new GuestChannel(client, vid, 9);
      int[] all = launch(one, TestKernels.NOTHING, 1);
      int[] before = java.util.Arrays.copyOf(all, all.length - 2);
      one.submit(join(join(before, shape), method(0x368, 0x1000)));

      until(() -> one.state() == GuestAbi.CHANNEL_DEAD);

      assertThat(one.reason()).as("%s", shape[0]).isEqualTo(GuestAbi.ERROR_ENGINE);
      assertThat(one.faultAddress()).isEqualTo(0x368);
    }
  }

  /** 2.8e14 blocks: they are launched, and ended. */
  @Test
  void kill_theLargestGrid_endsIt() {
    int[] all = launch(channel, TestKernels.NOTHING, 1);
    int[] before = java.util.Arrays.copyOf(all, all.length - 2);
    int[] largest = method(0x238, 0xffffffff, 0xffff);
    channel.submit(join(join(before, largest), method(0x368, 0x1000)));
    rig.cycle();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);

    client.control(channel.cid, ExtChanControl.KILL, GuestAbi.ERROR_TIMEOUT, 5);

    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
  }

  /** BAR.SYNC R2 for all, and BAR.SYNC 0 for R2 threads, where R2 is too large. */
  @Test
  void launch_barrierOutOfRange_endsTheChannelWithItsPc() {
    long barrier = 0x50ee000000001c04L | 63L << 14;
    long[] number = {movR2(16), barrier | 2L << 20 | 1L << 46, 0x8000000000001de7L};
    long[] threads = {movR2(1025), barrier | 1L << 47 | 2L << 26, 0x8000000000001de7L};
    channel.submit(launch(channel, number, 1));
    assertWarpError(17, 8);

    GuestChannel second = new GuestChannel(client, vid, 9);
    second.submit(launch(second, threads, 1));
    until(() -> second.state() == GuestAbi.CHANNEL_DEAD);
    assertThat(second.reason()).isEqualTo(GuestAbi.ERROR_SM);
    assertThat(second.info()).isEqualTo(17);
  }

  private static long movR2(int value) {
    return 0x1800000000009de2L | (long) value << 26;
  }

  /** The launch asks for 20 registers: MOV32I R20. */
  @Test
  void launch_registerBeyondThoseAsked_endsTheChannelWithItsPc() {
    long[] program = {0x4000000000001de4L, 0x1800000000001de2L | 20L << 14, 0x8000000000001de7L};
    channel.submit(launch(channel, program, 1));

    assertWarpError(13, 8);
  }

  /** JMX to an address where there is no memory, and to one that is no multiple of 8. */
  @Test
  void launch_computedJumpToNowhere_endsTheChannel() {
    long jump = 0x0800000000001de7L | 2L << 20;
    channel.submit(launch(channel, new long[] {movR2(0x7000_0000), jump}, 1));
    until(() -> channel.state() == GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);

    GuestChannel second = new GuestChannel(client, vid, 9);
    second.submit(launch(second, new long[] {movR2(4), jump}, 1));
    until(() -> second.state() == GuestAbi.CHANNEL_DEAD);
    assertThat(second.reason()).isEqualTo(GuestAbi.ERROR_SM);
    assertThat(second.info()).as("INVALID_OPCODE").isEqualTo(9);
  }

  /** A program that computes every jump is compiled as it goes; a kill need not wait for that. */
  @Test
  void query_afterComputedJumps_saysThatAllWasCompiled() {
    // IADD R2, R2, 16; JMX R2 to the second next; ... ; EXIT.
    long[] program = new long[61];
    for (int n = 0; n + 1 < program.length; n += 2) {
      program[n] = 0x4800c00040209c03L;
      program[n + 1] = 0x0800000000001de7L | 2L << 20;
    }
    program[60] = 0x8000000000001de7L;
    channel.submit(join(launch(channel, program, 4), new int[] {0x20010014, 7}));
    until(() -> channel.reference() == 7);

    assertThat(ExtChanQuery.INSTRUCTIONS.get(channel.query())).isEqualTo(4 * 61);
    assertThat(ExtChanQuery.INTERPRETED.get(channel.query())).isZero();
  }
}
