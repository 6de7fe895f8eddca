package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.guest.Buffer;
import io.sluice.guest.BufferRequest;
import io.sluice.guest.BufferSet;
import io.sluice.guest.CallFailedException;
import io.sluice.guest.ChannelFailedException;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.DeviceLostException;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.vdevice.dma.MapLimits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Client, socket, server, tables and the software GPU, all real: a process that uses the GPU. */
@ExtendWith(Seeds.class)
final class EndToEndTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final long BYTES = 1 << 20;

  @TempDir Path directory;
  private DeviceRig rig;

  @BeforeEach
  void start() {
    rig = new DeviceRig(directory);
  }

  @AfterEach
  void stop() {
    assertThat(rig.vramInUse()).as("video memory after the guests are gone").isZero();
    rig.close();
  }

  private io.sluice.guest.AttachedDevice attach(GuestDevice device) {
    return io.sluice.guest.AttachedDevice.attach(rig.kernel, device.path());
  }

  private static void fill(MemorySegment bytes, long seed) {
    RandomGenerator random = Seeds.generator(seed);
    for (long at = 0; at < bytes.byteSize(); at += 8) {
      bytes.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  @Test
  void bufferSet_oneOfThemTooLarge_leavesNone() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device);
        Space space = guest.newSpace()) {
      assertThatThrownBy(() ->
              space.allocate(
                  List.of(
                      BufferRequest.process(BYTES),
                      BufferRequest.video(BYTES),
                      BufferRequest.video(1L << 45),
                      BufferRequest.video(BYTES))))
          .isInstanceOf(CallFailedException.class)
          .hasMessageContaining("MEM_ALLOC");
      assertThat(rig.vramInUse()).isZero();

      // What stands at the lowest address stands where the refused ones would have.
      try (BufferSet again = space.allocate(List.of(BufferRequest.video(BYTES)))) {
        assertThat(again.address(0)).isEqualTo(new GpuVa(0x2000_0000L));
      }
    }
  }

  @Test
  void bufferSet_moreThanThereAreSlots_areAllMappedAndGoWithIt() {
    GuestDevice device = rig.device("a");
    int count = GuestAbi.MAX_SLOTS + 3;
    try (io.sluice.guest.AttachedDevice guest = attach(device);
        Space space = guest.newSpace();
        ClientChannel channel = space.newChannel()) {
      List<BufferRequest> wanted = new ArrayList<>();
      for (int n = 0; n < count; n++) {
        wanted.add(n % 2 == 0 ? BufferRequest.process(4096) : BufferRequest.video(4096));
      }
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().bindEngines()));
      try (BufferSet set = space.allocate(wanted)) {
        fill(set.bytes(0), 1);
        Pushbuffer chain = new Pushbuffer();
        for (int n = 1; n < count; n++) {
          chain.copyM2mf(set.address(n - 1), set.address(n), 4096);
        }
        channel.awaitByPolling(channel.submitWithFence(chain));
        for (int n = 1; n < count; n++) {
          assertThat(set.bytes(n).mismatch(set.bytes(0))).as("buffer %d", n).isEqualTo(-1);
        }
      }
      assertThat(rig.vramInUse()).isZero();
    }
  }

  /** The software GPU's own region was counted among the client's: its last map was ENOMEM. */
  @Test
  void dmaMap_asManyAsAreOffered_work() {
    assumeTrue(rig.kernel.hostLimits().openFiles() > 4 * MapLimits.MAX_MAPS);
    GuestDevice device = rig.device("a");
    try (RawClient client = new RawClient(rig.kernel, rig.kernel.connect(device.path()));
        Fd memory = rig.kernel.memfdCreate("page", 4096)) {
      client.negotiate();
      client.okAll(
          2,
          LongStream.range(0, MapLimits.MAX_MAPS)
              .mapToObj(i -> RawClient.body(32, 3, 0L, i << 13, 4096L))
              .toList(),
          memory);
      assertThat(device.mapped()).isEqualTo(new MapLimits(4096L * 4094, 4094));
      try (RawClient.Message reply =
          client.call(2, RawClient.body(32, 3, 0L, 1L << 40, 4096L), memory)) {
        assertThat(Errno.nameOf(reply.errno())).isEqualTo("ENOSPC");
      }
    }
    device.detach();
    assertThat(device.mapped()).isEqualTo(new MapLimits(0, 0));
  }

  @Test
  void copy_throughVideoMemory_arrivesWithoutAMessage() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device);
        Buffer from = guest.allocateProcess(BYTES);
        Buffer video = guest.allocateVideo(BYTES);
        Buffer to = guest.allocateProcess(BYTES);
        Space space = guest.newSpace();
        ClientChannel channel = space.newChannel()) {
      fill(from.bytes(), 1);
      GpuVa fromAt = space.map(from);
      GpuVa videoAt = space.map(video);
      GpuVa toAt = space.map(to);
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().bindEngines()));

      long messages = device.counters().messages();
      channel.submit(new Pushbuffer().copyM2mf(fromAt, videoAt, BYTES));
      Pushbuffer back = new Pushbuffer().copyM2mf(videoAt, toAt, BYTES);
      int fence = channel.submitWithInterrupt(back);
      assertThat(channel.awaitByInterrupt(fence, TIMEOUT_MS)).isTrue();
      assertThat(device.counters().messages()).isEqualTo(messages);

      assertThat(to.bytes().mismatch(from.bytes())).isEqualTo(-1);
      assertThat(video.bytes().mismatch(from.bytes())).isEqualTo(-1);
      assertThat(channel.error()).isZero();
    }
    device.detach();
  }

  @Test
  void guests_twoAtOnce_seeOnlyTheirOwn() {
    GuestDevice first = rig.device("a");
    GuestDevice second = rig.device("b");
    try (io.sluice.guest.AttachedDevice a = attach(first);
        io.sluice.guest.AttachedDevice b = attach(second);
        Buffer videoA = a.allocateVideo(BYTES);
        Buffer videoB = b.allocateVideo(BYTES);
        Space spaceA = a.newSpace();
        Space spaceB = b.newSpace();
        ClientChannel channelA = spaceA.newChannel();
        ClientChannel channelB = spaceB.newChannel()) {
      fill(videoA.bytes(), 1);
      fill(videoB.bytes(), 2);
      GpuVa atA = spaceA.map(videoA);
      spaceB.map(videoB);
      // B's address space has nothing where A's buffer is, or its own: never A's.
      int before = channelB.interrupts();
      channelA.awaitByPolling(
          channelA.submitWithInterrupt(new Pushbuffer().bindEngines().release(atA, 77)));
      assertThat(channelB.interrupts()).isEqualTo(before);
      assertThat(videoA.bytes().get(ValueLayout.JAVA_INT, 0)).isEqualTo(77);
      MemorySegment expected = MemorySegment.ofArray(new long[(int) (BYTES / 8)]);
      fill(expected, 2);
      assertThat(videoB.bytes().mismatch(expected)).isEqualTo(-1);
      // Ids are each guest's own: A's last buffer is none of B's.
      try (Buffer onlyOfA = a.allocateVideo(4096)) {
        assertThatThrownBy(() -> spaceB.map(onlyOfA)).hasMessageContaining("EBADF");
      }
      // An error of one ends its channel alone.
      channelA.submit(new Pushbuffer().release(new GpuVa(0x1000), 1));
      assertThatThrownBy(() ->
              channelA.awaitByPolling(channelA.submitWithFence(new Pushbuffer().reference(1))))
          .isInstanceOf(ChannelFailedException.class);
      assertThat(channelA.error()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
      channelB.awaitByPolling(channelB.submitWithFence(new Pushbuffer().reference(5)));
      assertThat(channelB.reference()).isEqualTo(5);
      assertThat(channelB.error()).isZero();
    }
    first.detach();
    second.detach();
  }

  @Test
  void guest_reset_startsAgain() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      guest.allocateVideo(BYTES);
      Space space = guest.newSpace();
      ClientChannel channel = space.newChannel();
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(1)));
      assertThat(guest.reset()).isNotZero();
      assertThat(rig.vramInUse()).isZero();
      try (Space again = guest.newSpace();
          ClientChannel next = again.newChannel()) {
        next.awaitByPolling(next.submitWithFence(new Pushbuffer().reference(9)));
        assertThat(next.reference()).isEqualTo(9);
      }
    }
    device.detach();
  }

  /** Whatever the moment, all it held comes back, and the next guest finds everything free. */
  @Test
  void guest_thatGoesAtAnyMoment_givesEverythingBack(RandomGenerator random) {
    GuestDevice device = rig.device("a");
    for (int round = 0; round < 12; round++) {
      io.sluice.guest.AttachedDevice guest = attach(device);
      int steps = random.nextInt(6);
      Space space = guest.newSpace();
      for (int step = 0; step < steps; step++) {
        guest.allocateVideo(random.nextInt(1, 64) * 4096L);
        ClientChannel channel = space.newChannel();
        // An acquire that nobody releases: the channel is busy for ever.
        Buffer word = guest.allocateVideo(4096);
        channel.submit(new Pushbuffer().acquire(space.map(word), 1));
      }
      guest.close();
    }
    device.detach();
    assertThat(device.counters().connections()).isEqualTo(12);
    assertThat(device.guest()).isEmpty();
  }

  @Test
  void client_secondOne_isToldBusyAndTheFirstGoesOn() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      assertThatThrownBy(() -> attach(device)).hasMessageContaining("EBUSY");
      assertThat(guest.ping(5)).isEqualTo(5);
      assertThat(device.counters().connectionsRefused()).isEqualTo(1);
    }
    device.detach();
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      assertThat(guest.ping(6)).isEqualTo(6);
    }
    device.detach();
  }

  @Test
  void client_secondOneThatSaysNothing_isDisconnected() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device);
        RawClient silent = new RawClient(rig.kernel, rig.kernel.connect(device.path()))) {
      assertThat(silent.isClosed()).isTrue();
      assertThat(guest.ping(5)).isEqualTo(5);
    }
    device.detach();
  }

  @Test
  void device_detach_endsTheClient() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      assertThat(device.peer()).isPresent();
      device.detach();
      assertThat(device.peer()).isEmpty();
      assertThatThrownBy(() -> guest.ping(5))
          .isInstanceOfAny(DeviceLostException.class, io.sluice.abi.SyscallException.class);
    }
  }

  @Test
  void device_closeWithAClient_leavesNothing() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      guest.allocateVideo(BYTES);
      device.close();
    }
  }

  @Test
  void device_counters_tellWhatHappened() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      guest.ping(5);
      guest.ping(6);
      DeviceCounters counters = device.counters();
      assertThat(counters.calls()).isEqualTo(2);
      assertThat(counters.callsRefused()).isZero();
      assertThat(counters.connections()).isEqualTo(1);
      assertThat(counters.dmaMaps()).isEqualTo(1);
      assertThat(counters.messagesByCommand()).containsEntry("VERSION", 1L);
      assertThat(counters.interrupts()).isGreaterThanOrEqualTo(1);
      assertThat(counters.messages())
          .isEqualTo(
              counters.messagesByCommand().values().stream().mapToLong(Long::longValue).sum());
    }
    device.detach();
  }

  /** Memory that the machine takes back ends the channels that could reach it; nothing else. */
  @Test
  void memory_unmappedWhileAChannelMapsIt_endsTheChannel() {
    GuestDevice device = rig.device("a");
    try (io.sluice.guest.AttachedDevice guest = attach(device)) {
      Space space = guest.newSpace();
      ClientChannel channel = space.newChannel();
      Space other = guest.newSpace();
      ClientChannel spared = other.newChannel();
      Buffer memory = guest.allocateProcess(BYTES);
      space.map(memory);
      channel.awaitByPolling(channel.submitWithFence(new Pushbuffer().reference(1)));
      memory.close(); // unmaps the range from the bus while the address space still maps it
      assertThat(channel.queryState()).isEqualTo(GuestAbi.CHANNEL_DEAD);
      assertThat(channel.error()).isEqualTo(GuestAbi.ERROR_REVOKED);
      spared.awaitByPolling(spared.submitWithFence(new Pushbuffer().reference(3)));
      assertThat(spared.reference()).isEqualTo(3);
    }
    device.detach();
  }
}
