package io.sluice.channel.nvidia.relay.card;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.rm.control.GpuGid;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The driver under the names of the card on which a program began: it keeps them when it goes on
 * upon another. Nodes, numbers and UUIDs in its calls become those of the card that it is on, and
 * in the answers they are the first one's again.
 *
 * <p>What a card is beyond its name the program has asked once, and is not told anew: PCI addresses
 * and the list of cards are the first one's.
 */
public final class CardNames implements DriverPort {
  private static final int MAGIC = 'F';
  private static final int CLASS = 12;
  private static final int COMMAND = 8;
  private static final int NO_OFFSET = -1;

  private final GuestCard first;
  private volatile GuestCard now;
  private Optional<GuestCard> files; // whose the program has open and mapped; empty: of several

  /** Numbers of cards in a command's block: the first one's place, how many, and how far apart. */
  private record Numbers(int at, int count, int stride, boolean asked, int instance) {
    /** What the program says. */
    static Numbers asked(int at, int count) {
      return new Numbers(at, count, Integer.BYTES, true, NO_OFFSET);
    }

    /** What RM answers. */
    static Numbers answered(int at, int count, int stride) {
      return new Numbers(at, count, stride, false, NO_OFFSET);
    }

    /** This, with a card's device instance in the answer. */
    Numbers instance(int offset) {
      return new Numbers(at, count, stride, asked, offset);
    }

    boolean has(MemorySegment block, int index) {
      return at + (long) index * stride + Integer.BYTES <= block.byteSize();
    }
  }

  private static final ImmutableMap<ProgramControl, Numbers> NUMBERS =
      ImmutableMap.<ProgramControl, Numbers>builder()
          .put(ProgramControl.SYSTEM_GET_P2P_CAPS, Numbers.asked(0, 32))
          .put(ProgramControl.SYSTEM_GET_P2P_CAPS_MATRIX, Numbers.asked(8, 16))
          .put(ProgramControl.GPU_GET_ATTACHED_IDS, Numbers.answered(0, 32, Integer.BYTES))
          .put(ProgramControl.GPU_GET_ID_INFO, Numbers.asked(0, 1).instance(8))
          .put(ProgramControl.GPU_GET_ID_INFO_V2, Numbers.asked(0, 1).instance(8))
          .put(ProgramControl.GPU_GET_PROBED_IDS, Numbers.answered(0, 96, Integer.BYTES))
          .put(ProgramControl.GPU_ATTACH_IDS, Numbers.asked(0, 32))
          .put(ProgramControl.GPU_GET_ACTIVE_DEVICE_IDS, Numbers.answered(4, 256, 12))
          .put(ProgramControl.GPU_GET_PCI_INFO, Numbers.asked(0, 1))
          .put(ProgramControl.GPU_QUERY_DRAIN_STATE, Numbers.asked(0, 1))
          .put(ProgramControl.GPU_ASYNC_ATTACH_ID, Numbers.asked(0, 1))
          .buildOrThrow();

  public CardNames(GuestCard first) {
    this.first = first;
    now = first;
    files = Optional.of(first);
  }

  /** The card whose names the program knows. */
  public RelayCard named() {
    return first.card();
  }

  /** Where the program is. */
  public GuestCard now() {
    return now;
  }

  /** It is to go on there. Nothing of it may be on a card. */
  public void move(GuestCard to) {
    now = to;
  }

  /** Whether the card's files that the program has, and its doorbell, are of where it is. */
  public boolean hasFiles() {
    return files.filter(now::equals).isPresent();
  }

  /** They begin to be replaced. */
  public void replaceFiles() {
    files = Optional.empty();
  }

  /** They all are. */
  public void setFiles() {
    files = Optional.of(now);
  }

  @Override
  public List<Node> nodes() {
    return first.port().nodes();
  }

  @Override
  public Fd open(Node node) {
    return now.port()
        .open(
            node.kind() == Node.Kind.CARD
                ? now.port().nodes().stream()
                    .filter(each -> each.kind() == Node.Kind.CARD)
                    .findFirst()
                    .orElseThrow()
                : node);
  }

  @Override
  public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    GuestCard on = now;
    if (on.equals(first)) {
      return on.port().ioctl(file, request, argument, blocks);
    }
    KeptWords kept = new KeptWords();
    boolean ofRm = (request >>> 8 & 0xff) == MAGIC;
    if (ofRm) {
      ask(request & 0xff, argument, blocks, on.card(), kept);
    } else {
      replace(argument, first.card().uuid(), on.card().uuid(), kept);
    }
    try {
      return on.port().ioctl(file, request, argument, blocks);
    } finally {
      kept.restore();
      if (ofRm && (request & 0xff) == ProgramEscape.CONTROL.nr() && blocks.size() > 1) {
        ProgramControl.of(argument.get(ValueLayout.JAVA_INT, COMMAND))
            .ifPresent(control -> answer(control, blocks.get(1), on.card()));
      }
    }
  }

  private void ask(
      int nr, MemorySegment argument, List<MemorySegment> blocks, RelayCard card, KeptWords kept) {
    if (blocks.size() < 2) {
      return;
    }
    MemorySegment block = blocks.get(1);
    if (nr == ProgramEscape.ALLOC.nr()
        && argument.get(ValueLayout.JAVA_INT, CLASS) == ProgramClass.NV01_DEVICE_0.number()
        && block.byteSize() >= Integer.BYTES) {
      put(block, 0, first.card().deviceInstance(), card.deviceInstance(), kept);
    }
    if (nr == ProgramEscape.CONTROL.nr()) {
      ProgramControl.of(argument.get(ValueLayout.JAVA_INT, COMMAND))
          .map(NUMBERS::get)
          .filter(Numbers::asked)
          .ifPresent(numbers -> {
            for (int i = 0; i < numbers.count() && numbers.has(block, i); i++) {
              long at = numbers.at() + (long) i * numbers.stride();
              put(block, at, first.card().gpuId(), card.gpuId(), kept);
            }
          });
    }
  }

  private static void put(MemorySegment block, long at, int from, int to, KeptWords kept) {
    if (block.get(ValueLayout.JAVA_INT, at) == from) {
      kept.word(block, at);
      block.set(ValueLayout.JAVA_INT, at, to);
    }
  }

  private void answer(ProgramControl control, MemorySegment block, RelayCard card) {
    if (control == ProgramControl.GPU_GET_GID_INFO) {
      answerUuid(block, card);
    }
    Numbers numbers = NUMBERS.get(control);
    if (numbers == null) {
      return;
    }
    for (int i = 0; !numbers.asked() && i < numbers.count() && numbers.has(block, i); i++) {
      long at = numbers.at() + (long) i * numbers.stride();
      if (block.get(ValueLayout.JAVA_INT, at) == card.gpuId()) {
        block.set(ValueLayout.JAVA_INT, at, first.card().gpuId());
      } else if (block.get(ValueLayout.JAVA_INT, at) == first.card().gpuId()) {
        block.set(ValueLayout.JAVA_INT, at, card.gpuId());
      }
    }
    if (numbers.instance() != NO_OFFSET
        && numbers.instance() + Integer.BYTES <= block.byteSize()
        && block.get(ValueLayout.JAVA_INT, numbers.instance()) == card.deviceInstance()) {
      block.set(ValueLayout.JAVA_INT, numbers.instance(), first.card().deviceInstance());
    }
  }

  private void answerUuid(MemorySegment block, RelayCard card) {
    if (block.byteSize() < GpuGid.LAYOUT.byteSize()) {
      return;
    }
    if (GpuGid.uuid(block, GpuGid.DATA).equals(card.uuid())) {
      GpuGid.uuid(block, GpuGid.DATA, first.card().uuid());
    }
    byte[] text = GpuGid.text(card.uuid()).getBytes(StandardCharsets.US_ASCII);
    MemorySegment said = block.asSlice(GpuGid.DATA, text.length);
    if (said.mismatch(MemorySegment.ofArray(text)) < 0) {
      byte[] own = GpuGid.text(first.card().uuid()).getBytes(StandardCharsets.US_ASCII);
      var _ = said.copyFrom(MemorySegment.ofArray(own));
    }
  }

  /** A UUID is nothing else, wherever it stands. */
  private static void replace(MemorySegment argument, UUID from, UUID to, KeptWords kept) {
    for (long at = 0; at + 2 * Long.BYTES <= argument.byteSize(); at += Integer.BYTES) {
      if (GpuGid.uuid(argument, at).equals(from)) {
        for (int i = 0; i < 2 * Long.BYTES; i += Integer.BYTES) {
          kept.word(argument, at + i);
        }
        GpuGid.uuid(argument, at, to);
      }
    }
  }
}
