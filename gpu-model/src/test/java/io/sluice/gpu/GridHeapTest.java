package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtFileQuery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Grids that want more of the host's heap than their open may have: theirs end, nothing else. */
class GridHeapTest {
  private static final int LARGEST_STACK = 1 << 20;
  private static final int NOT_ENOUGH_WARPS = 0x2a;
  private static final int NOT_ENOUGH_STACK = 0x2d;

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final Rig rig = new Rig(tasks::add, 8);

  @AfterEach
  void close() {
    rig.close();
  }

  private void runTasks() {
    for (int i = 0; i < 100_000 && !tasks.isEmpty(); i++) {
      tasks.remove().run();
    }
    rig.run();
  }

  private static GuestChannel calling(Client client, int vid) {
    GuestChannel channel = new GuestChannel(client, vid, 9);
    channel.submit(Launches.of(channel, TestKernels.CALLS, 0, 1, 1024, LARGEST_STACK));
    return channel;
  }

  /** 32 warps that fill 1 MiB each take 48 MiB: what one grid may always do. */
  @Test
  void callStacks_ofOneGrid_growToTheirEnd() {
    Client client = rig.open();
    GuestChannel channel = calling(client, client.vspaceNew());
    rig.cycle();
    runTasks();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_SM);
  }

  @Test
  void callStacks_ofManyGrids_endThoseThatAreTooMany() {
    Client client = rig.open();
    int vid = client.vspaceNew();
    List<GuestChannel> channels = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      channels.add(calling(client, vid));
    }
    Client other = rig.open();
    GuestChannel innocent = calling(other, other.vspaceNew());
    rig.cycle();
    runTasks();
    assertThat(innocent.reason()).as("has a budget of its own").isEqualTo(GuestAbi.ERROR_SM);
    List<GuestChannel> refused =
        channels.stream().filter(c -> c.reason() == GuestAbi.ERROR_ENGINE).toList();
    assertThat(refused).hasSizeBetween(1, 3);
    assertThat(refused).allMatch(c -> c.info() == NOT_ENOUGH_STACK && c.faultAddress() == 0x368);

    GuestChannel next = calling(client, vid);
    rig.cycle();
    runTasks();
    assertThat(next.reason()).as("what they had was given back").isEqualTo(GuestAbi.ERROR_SM);
    assertThat(ExtFileQuery.PROGRAMS.get(client.usage())).as("all ran the same").isEqualTo(1);
    assertThat(ExtFileQuery.PROGRAM_LIMIT.get(client.usage())).isEqualTo(64);
    assertThat(ExtFileQuery.PROGRAM_BYTES.get(client.usage()))
        .isBetween(1L, ExtFileQuery.PROGRAM_BYTES_LIMIT.get(client.usage()));
    assertThat(ExtFileQuery.INTERPRETED.get(client.usage())).isZero();
  }

  /** Launched and killed, again and again, while no thread has come to the first one yet. */
  @Test
  void launches_whoseTasksWait_areCounted() {
    Client client = rig.open();
    int vid = client.vspaceNew();
    GuestChannel first = new GuestChannel(client, vid, 9);
    int[] launch = Launches.of(first, TestKernels.ENDLESS, 0, 65535, 1024, LARGEST_STACK);
    int launched = 0;
    GuestChannel channel = first;
    while (launched < 1000) {
      channel.submit(launch);
      rig.cycle();
      if (channel.state() == GuestAbi.CHANNEL_DEAD) {
        break;
      }
      launched++;
      client.chanFree(channel.cid);
      channel = new GuestChannel(client, vid, 9);
    }
    assertThat(launched).as("of 450 KiB each, in 64 MiB").isBetween(100, 200);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(NOT_ENOUGH_WARPS);
    long limit = ExtFileQuery.GRID_HEAP_LIMIT.get(client.usage());
    assertThat(limit).isEqualTo(GpuConfig.GRID_HEAP_BYTES);
    assertThat(ExtFileQuery.GRID_HEAP_BYTES.get(client.usage())).isBetween(limit / 2, limit);

    runTasks();
    assertThat(ExtFileQuery.GRID_HEAP_BYTES.get(client.usage())).isZero();
    GuestChannel next = new GuestChannel(client, vid, 9);
    next.submit(launch);
    rig.cycle();
    assertThat(next.state()).as("all was given back").isEqualTo(GuestAbi.CHANNEL_RUNNING);
  }
}
