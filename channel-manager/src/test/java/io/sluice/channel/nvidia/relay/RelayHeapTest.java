package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.card.KeptWords;
import io.sluice.channel.nvidia.relay.link.MemoryShare;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The heap that is taken up by what is remembered of the programs of a guest. */
final class RelayHeapTest extends RelayFixture {
  private static final int FIRST = 0x5d00_0000;
  private static final long PAGE = 4096;
  private static final long BYTES = 1 << 20;

  /** Half of it is for three programs, in equal parts. */
  private static final long CERTAIN = BYTES / 2 / 3;

  @Override
  long heapBytes() {
    return BYTES;
  }

  @BeforeEach
  void device0() {
    device();
  }

  private static TestProgram.Answer tryAlloc(
      TestProgram of, int file, int root, int parent, int handle) {
    return of.ioctl(
        file,
        ProgramEscape.ALLOC,
        alloc(root, parent, handle, ProgramClass.NV20_SUBDEVICE_0),
        block(4));
  }

  /** Has a program make objects until it is refused: how many. */
  private static int takeAll(TestProgram of, int file, int root, int parent) {
    int made = 0;
    TestProgram.Answer answer = tryAlloc(of, file, root, parent, FIRST);
    while (answer.error() == 0) {
      made++;
      answer = tryAlloc(of, file, root, parent, FIRST + made);
    }
    assertThat(answer.error()).isEqualTo(Errno.ENOMEM.number());
    return made;
  }

  private void freed(int parent, int handle) {
    assertThat(status(control, ProgramEscape.FREE, block(16, client, parent, handle)))
        .isEqualTo(OK);
  }

  @Test
  void objects_ofOneThatTakesAll_leaveTheOthersTheirShares() {
    int most = takeAll(program, control, client, DEVICE);
    assertThat(heap.bytes()).isLessThanOrEqualTo(BYTES - 2 * CERTAIN);
    assertThat(most).isGreaterThan(200);

    for (int i = 0; i < 2; i++) {
      long before = heap.bytes();
      TestProgram other = connect();
      assertThat(other.hello().value()).isEqualTo(1);
      int file = other.open("nvidiactl");
      int root = client(other, file);
      assertThat(takeAll(other, file, root, root)).isGreaterThan(50);
      assertThat(heap.bytes() - before)
          .isBetween(CERTAIN * 9 / 10, CERTAIN + 4096); // what was left
    }
    assertThat(heap.bytes()).isLessThanOrEqualTo(BYTES);

    freed(DEVICE, FIRST);
    assertThat(tryAlloc(program, control, client, DEVICE, FIRST).error()).isZero();
  }

  @Test
  void objects_beyondWhatAllGuestsMayTake_areRefused() {
    heapLimit.set(heap.bytes() + 10_000);
    assertThat(takeAll(program, control, client, DEVICE)).isBetween(1, 10);
    assertThat(heap.bytes()).isLessThanOrEqualTo(heapLimit.get());
  }

  @Test
  void heap_ofWhatAProgramFrees_isGivenBack() {
    long before = heap.bytes();
    long base = 0x10_0000_0000L;
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(PAGE)))
        .isEqualTo(OK);
    external(base, MEMORY);
    long had = heap.bytes() - before;
    assertThat(had)
        .isGreaterThan(ProgramHeap.OBJECT + ProgramHeap.MAP + ProgramHeap.RANGE + 48 + 128);

    freed(DEVICE, MEMORY);
    assertThat(heap.bytes()).as("UVM has it").isEqualTo(before + had);
    free(base);
    assertThat(heap.bytes()).isEqualTo(before);
  }

  @Test
  void ranges_withoutEnd_areRefusedAndGivenBackWithTheirFile() {
    long before = heap.bytes();
    int other = program.open("nvidia-uvm");
    ByteBuffer range = block(24);
    range.putLong(8, PAGE);
    int made = 0;
    int error = 0;
    while (error == 0) {
      range.putLong(0, made * PAGE);
      error = program.ioctl(other, UvmCommand.CREATE_EXTERNAL_RANGE.number(), range).error();
      made += error == 0 ? 1 : 0;
    }
    assertThat(error).isEqualTo(Errno.ENOMEM.number());
    assertThat(made).isGreaterThan(1000);
    assertThat(heap.bytes()).isLessThanOrEqualTo(BYTES - 2 * CERTAIN);

    program.close(other);
    assertThat(heap.bytes()).isEqualTo(before);
  }

  @Test
  void events_ofAClientThatIsFreed_areGivenBack() {
    long before = heap.bytes();
    int second = client(program, control);
    TestProgram.Answer event =
        program.ioctl(card, ProgramEscape.ALLOC_OS_EVENT, block(16, second, 0, card));
    assertThat(event.fds()).hasSize(1);
    event.fds().forEach(Fd::close);
    assertThat(heap.bytes()).isGreaterThan(before);

    assertThat(status(control, ProgramEscape.FREE, block(16, second, second, second)))
        .isEqualTo(OK);
    assertThat(heap.bytes()).isEqualTo(before);
  }

  @Test
  void blocks_thatACallHasNot_areRefusedAndNotKept() {
    long before = heap.bytes();
    ByteBuffer argument = alloc(client, DEVICE, FIRST, ProgramClass.NV20_SUBDEVICE_0);
    int answered =
        program
            .ioctl(control, ProgramEscape.ALLOC, argument, block(4), block(32_768))
            .blocks(3)
            .getFirst()
            .getInt(40);
    assertThat(answered).isEqualTo(INVALID_ARGUMENT);
    assertThat(heap.bytes()).isEqualTo(before);
  }

  /** On the heap of this process: what is counted is no less than what is taken. */
  @Test
  void objects_withTheirCalls_takeNoMoreThanIsCounted() {
    int many = 50_000;
    MemoryBudget counted = MemoryBudget.upTo(() -> Long.MAX_VALUE);
    ProgramHeap own = new ProgramHeap(new MemoryShare(counted));
    List<RmObject> objects = new ArrayList<>(many);
    Map<RmObject.Name, RmObject> byName = new LinkedHashMap<>();
    long before = usedBytes();
    for (int i = 0; i < many; i++) {
      RmObject.Name name = new RmObject.Name(client, FIRST + i);
      RmObject object = new RmObject(name, name, Optional.empty(), i);
      if (!objects.isEmpty()) {
        objects.getLast().children().add(name); // the dearest: a table for each
      }
      object.setMade(call(i));
      object.note(i, call(i), own);
      own.use(object.heapBytes());
      byName.put(name, object);
      objects.add(object);
    }
    long taken = usedBytes() - before;
    assertThat(taken).isLessThan(counted.bytes());
    assertThat(byName).hasSize(objects.size());
  }

  private RecordedCall call(int order) {
    ProgramFile file =
        new ProgramFile(
            1,
            new Node("nvidiactl", Node.Kind.CONTROL, 195, 255, 0),
            new Fd(0, _ -> {}),
            new ProgramHeap(new MemoryShare(heap)));
    ImmutableList<MemorySegment> blocks =
        ImmutableList.of(
            MemorySegment.ofArray(new byte[(int) Nvos64Alloc.LAYOUT.byteSize()]),
            MemorySegment.ofArray(new byte[128]));
    return RecordedCall.of(order, new DriverCall(file, 0, blocks, new KeptWords()));
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
