package io.sluice.migrate.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.channel.record.Section;
import io.sluice.channel.record.SectionHeader;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.vdevice.state.DeviceState;
import io.sluice.vdevice.state.PciState;
import io.sluice.vdevice.state.StateTransfers;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device's state looks like on its way, and what is not taken for one. */
final class DeviceStreamTest {
  private static final long VRAM = 16L << 20;
  private static final int BUFFER = 1 << 20;
  private static final int MAPPABLE_VRAM = 2;

  private final Kernel kernel = RealKernel.create();
  private final AtomicLong nowNs = new AtomicLong();
  private final long seed = Long.getLong("sluice.seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private SoftwareGpu model;
  private PscnvGpu gpu;
  private Guest guest;

  @BeforeEach
  void open() {
    System.out.println("seed: -Dsluice.seed=" + seed);
    model =
        new SoftwareGpu(
            kernel, new GpuConfig(VRAM, VRAM, 100_000), nowNs::get, IdleStrategy.none());
    gpu = new PscnvGpu("stream", kernel, model::open);
    guest = attach("from");
  }

  @AfterEach
  void close() {
    guest.close();
    gpu.close();
    model.close();
  }

  private Guest attach(String name) {
    return new Guest(name, gpu, kernel, GuestListener.none());
  }

  /** A device of which only the guest is real. */
  private static final class Device implements StateTransfers.Device {
    private final Guest guest;
    private boolean restored;
    private boolean released;

    Device(Guest guest) {
      this.guest = guest;
    }

    @Override
    public String name() {
      return guest.name();
    }

    @Override
    public Guest guest() {
      return guest;
    }

    @Override
    public DeviceState save() {
      int words = 4 + GuestAbi.MAX_SLOTS;
      int function = PciState.CONFIG_BYTES + PciState.MSIX_TABLE_BYTES;
      return DeviceState.decode(
          new Section(DeviceState.SECTION, 1, new byte[4 * words + GuestAbi.BAR1_SIZE + function]));
    }

    @Override
    public void restore(DeviceState state) {
      restored = true;
    }

    @Override
    public void releaseRestored() {
      released = true;
    }
  }

  private ClientTransfers transfers() {
    return new ClientTransfers(_ -> {}, kernel, nowNs::get, () -> random);
  }

  /** Two buffers, one of them of random bytes, the other with holes. */
  private void fill() {
    SharedArea area = guest.vramAperture().orElseThrow();
    long first =
        guest.buffers().allocate(MAPPABLE_VRAM, 0, 1, BUFFER).apertureOffset().orElseThrow();
    long second =
        guest.buffers().allocate(MAPPABLE_VRAM, 0, 2, BUFFER).apertureOffset().orElseThrow();
    byte[] bytes = new byte[BUFFER];
    random.nextBytes(bytes);
    try (Mapping mapping =
        kernel.mmap(
            area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      MemorySegment.copy(bytes, 0, mapping.segment(), ValueLayout.JAVA_BYTE, first, BUFFER);
      mapping.segment().set(ValueLayout.JAVA_BYTE, second + 5 * 4096, (byte) 1);
    }
  }

  private static byte[] readAll(StateTransfers.StateOutput saving, int piece) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] bytes = new byte[piece];
    int some;
    do {
      some = saving.read(MemorySegment.ofArray(bytes));
      all.write(bytes, 0, some);
    } while (some == piece);
    return all.toByteArray();
  }

  private byte[] saved() {
    fill();
    try (StateTransfers.StateOutput saving = transfers().save(new Device(guest))) {
      saving.stopped();
      return readAll(saving, 1 << 16);
    }
  }

  private static void writeAll(StateTransfers.StateInput resuming, byte[] data, int piece) {
    for (int at = 0; at < data.length; at += piece) {
      resuming.write(MemorySegment.ofArray(data).asSlice(at, Math.min(piece, data.length - at)));
    }
  }

  private static List<byte[]> sections(byte[] data) {
    List<byte[]> found = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(data);
    while (in.hasRemaining()) {
      int start = in.position();
      Section _ = Section.read(in);
      found.add(Arrays.copyOfRange(data, start, in.position()));
    }
    return found;
  }

  private static byte[] joined(List<byte[]> sections) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    sections.forEach(all::writeBytes);
    return all.toByteArray();
  }

  /**
   * It is refused while it is written, or at the end; the guest is empty then, and stays usable.
   */
  private void assertRefused(byte[] data) {
    Guest other = attach("to");
    try {
      Device device = new Device(other);
      StateTransfers.StateInput resuming = transfers().resume(device);
      try {
        assertThatThrownBy(
                () -> {
                  writeAll(resuming, data, 1 << 16);
                  resuming.finish();
                })
            .isInstanceOf(RefusedException.class);
      } finally {
        resuming.close();
      }
      assertThat(device.released).isFalse();
      assertThat(other.buffers().use().videoBytes()).isZero();
      assertThat(other.channels().ids()).isEmpty();
      assertThat(other.buffers().allocate(MAPPABLE_VRAM, 0, 1, 4096).sizeBytes()).isPositive();
    } finally {
      other.close();
    }
  }

  // ---- what is no device ----

  @Test
  void finish_cutAnywhere_refused() {
    byte[] data = saved();
    List<Integer> cuts = new ArrayList<>(List.of(0, 1, 15, 16, 17, data.length - 1));
    int border = 0;
    for (byte[] section : sections(data)) {
      border += section.length;
      if (border < data.length) {
        cuts.add(border);
      }
    }
    cuts.add(1 + random.nextInt(data.length - 1));
    for (int cut : cuts) {
      assertRefused(Arrays.copyOf(data, cut));
    }
  }

  @Test
  void write_oneBitWrong_refused() {
    byte[] data = saved();
    for (int i = 0; i < 40; i++) {
      byte[] damaged = data.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      assertRefused(damaged);
    }
  }

  @Test
  void write_sectionsInAnotherOrder_refusedOrWithoutEffect() {
    List<byte[]> sections = sections(saved());
    // The guest's state before its memory, its end before it, its head in the middle.
    List<byte[]> swapped = new ArrayList<>(sections);
    Collections.swap(swapped, 0, 1);
    assertRefused(joined(swapped));
    swapped = new ArrayList<>(sections);
    Collections.swap(swapped, 1, 2);
    assertRefused(joined(swapped));
    swapped = new ArrayList<>(sections);
    Collections.swap(swapped, sections.size() - 1, sections.size() - 2);
    assertRefused(joined(swapped));
  }

  @Test
  void write_sectionTwiceOrLeftOut_refused() {
    List<byte[]> sections = sections(saved());
    for (int i = 0; i < sections.size(); i++) {
      List<byte[]> twice = new ArrayList<>(sections);
      twice.add(i, sections.get(i));
      assertRefused(joined(twice));
      List<byte[]> without = new ArrayList<>(sections);
      without.remove(i);
      assertRefused(joined(without));
    }
  }

  @Test
  void write_framesThatOnlyTheOtherSideSends_refused() {
    List<byte[]> sections = sections(saved());
    for (int type : new int[] {0x101, 0x113, 0x122, 0x123, 0x124, 0x125, 0x126, 0x130, 0x1ff}) {
      Section foreign = new Section(type, 1, new byte[16]);
      ByteBuffer bytes = ByteBuffer.allocate(foreign.sizeBytes());
      foreign.write(bytes);
      List<byte[]> more = new ArrayList<>(sections);
      more.add(3, bytes.array());
      assertRefused(joined(more));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {SectionHeader.MAX_PAYLOAD_BYTES + 1, Integer.MAX_VALUE, -1})
  void write_sectionOfAnyLength_refusedBeforeItIsHeld(int length) {
    ByteBuffer head = ByteBuffer.allocate(16).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    head.putInt(DeviceStream.HEAD).putInt(1).putInt(length).putInt(0);
    assertRefused(head.array());
  }

  @Test
  void write_endlessPagesBeforeAnOffer_refusedBeforeTheyAreHeld() {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    ByteBuffer bytes = ByteBuffer.allocate(DeviceStream.head().sizeBytes());
    DeviceStream.head().write(bytes);
    data.writeBytes(bytes.array());
    Section pages = new Section(0x110, 1, new byte[SectionHeader.MAX_PAYLOAD_BYTES]);
    for (int i = 0; i < 6; i++) {
      ByteBuffer page = ByteBuffer.allocate(pages.sizeBytes());
      pages.write(page);
      data.writeBytes(page.array());
    }
    assertRefused(data.toByteArray());
  }

  // ---- what is one ----

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 4096, 1 << 18})
  void write_inPiecesOfAnySize_isTheDevice(int piece) {
    byte[] data = saved();
    Guest other = attach("to");
    try (StateTransfers.StateInput resuming = transfers().resume(new Device(other))) {
      writeAll(resuming, data, piece);
      resuming.finish();
      assertThat(other.buffers().use().videoBytes()).isEqualTo(guest.buffers().use().videoBytes());
      assertThat(contents(other)).isEqualTo(contents(guest));
      resuming.run();
    } finally {
      other.close();
    }
  }

  private byte[] contents(Guest of) {
    SharedArea area = of.vramAperture().orElseThrow();
    try (Mapping mapping =
        kernel.mmap(area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ)) {
      return mapping.segment().asSlice(0, 4 * BUFFER).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @Test
  void read_beforeItStopsAndAfter_carriesWhatChangedBetween() {
    fill();
    Guest other = attach("to");
    try (StateTransfers.StateOutput saving = transfers().save(new Device(guest));
        StateTransfers.StateInput resuming = transfers().resume(new Device(other))) {
      byte[] before = readAll(saving, 1000);
      assertThat(before.length).isGreaterThan(BUFFER);
      assertThat(readAll(saving, 1000)).isEmpty(); // none now, and none without end
      fill(); // other buffers
      saving.stopped();
      byte[] after = readAll(saving, 1000);
      assertThat(after.length).isGreaterThan(BUFFER).isLessThan(2 * BUFFER);
      assertThat(readAll(saving, 1000)).isEmpty();
      writeAll(resuming, before, 4096);
      writeAll(resuming, after, 4096);
      resuming.finish();
      assertThat(contents(other)).isEqualTo(contents(guest));
    } finally {
      other.close();
    }
  }

  @Test
  void close_beforeTheEnd_leavesNothing() {
    byte[] data = saved();
    Guest other = attach("to");
    try {
      StateTransfers.StateInput resuming = transfers().resume(new Device(other));
      writeAll(resuming, Arrays.copyOf(data, data.length / 2), 4096);
      assertThat(other.buffers().use().videoBytes()).isPositive();
      resuming.close();
      assertThat(other.buffers().use().videoBytes()).isZero();
    } finally {
      other.close();
    }
  }
}
