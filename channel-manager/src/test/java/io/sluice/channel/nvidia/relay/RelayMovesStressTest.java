package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.channel.MovableMemory.Moved;
import io.sluice.testbed.fakes.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Programs that allocate, write, read and free as they like, while their memory moves to and fro:
 * each reads what it wrote, and nothing is left.
 */
@ExtendWith(Seeds.class)
final class RelayMovesStressTest extends RelayFixture {
  private static final int STEPS = 2000;
  private static final int MAX_PIECES = 12;
  private static final long PAGE = 1 << 16;
  private static final int SUBDEVICE = 0x5c00_0002;
  private static final int CHANNEL = 0x5c00_0030;

  /** A program with a context, whose pieces lie at addresses that no other has. */
  private final class Context {
    private final TestProgram of;
    private final int controlFile;
    private final int uvmFile;
    private final int own;
    private final long base;
    private final List<Piece> pieces = new ArrayList<>();
    private int handle = 0x5c00_1000;

    /** A piece of memory, and what was written there. */
    private record Piece(int handle, long address, long bytes, int word) {}

    Context(TestProgram of, long base) {
      this.of = of;
      this.base = base;
      controlFile = of.open("nvidiactl");
      uvmFile = of.open("nvidia-uvm");
      own = client(of, controlFile);
      made(own, DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 0, own));
      made(DEVICE, SUBDEVICE, ProgramClass.NV20_SUBDEVICE_0, block(4));
      made(DEVICE, CHANNEL, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, block(368));
    }

    private void made(int parent, int name, ProgramClass type, ByteBuffer parameters) {
      ByteBuffer argument = alloc(own, parent, name, type);
      assertThat(
              of.ioctl(controlFile, ProgramEscape.ALLOC, argument, parameters)
                  .blocks(2)
                  .getFirst()
                  .getInt(40))
          .isEqualTo(OK);
    }

    private int uvm(UvmCommand command, ByteBuffer argument) {
      return of.ioctl(uvmFile, command.number(), argument)
          .blocks(1)
          .getFirst()
          .getInt(command.shape().status());
    }

    void step(RandomGenerator random) {
      int choice = random.nextInt(4);
      if (pieces.isEmpty() || choice == 0 && pieces.size() < MAX_PIECES) {
        allocate((1 + random.nextInt(8)) * PAGE, random.nextInt());
      } else if (choice == 1) {
        free(pieces.remove(random.nextInt(pieces.size())));
      } else if (choice == 2) {
        int index = random.nextInt(pieces.size());
        Piece piece = pieces.get(index);
        int word = random.nextInt();
        driver.store(piece.address(), word);
        pieces.set(index, new Piece(piece.handle(), piece.address(), piece.bytes(), word));
      }
      pieces.forEach(piece -> assertThat(driver.load(piece.address())).isEqualTo(piece.word()));
    }

    private void allocate(long bytes, int word) {
      int name = handle++;
      long address = base + (name & 0xfff) * (1L << 24);
      made(DEVICE, name, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(bytes));
      int register = ProgramControl.REGISTER_VIDMEM.command();
      ByteBuffer argument = block(32, own, DEVICE, register, 0, 0x2000, 0x7fff, 32);
      assertThat(
              of.ioctl(controlFile, ProgramEscape.CONTROL, argument, block(32, name))
                  .blocks(2)
                  .getFirst()
                  .getInt(28))
          .isEqualTo(OK);
      ByteBuffer range = block(24).putLong(0, address).putLong(8, bytes);
      assertThat(uvm(UvmCommand.CREATE_EXTERNAL_RANGE, range)).isEqualTo(OK);
      ByteBuffer map = block(9264).putLong(0, address).putLong(8, bytes).putLong(9240, 1);
      map.putInt(9248, controlFile).putInt(9252, own).putInt(9256, name);
      assertThat(uvm(UvmCommand.MAP_EXTERNAL_ALLOCATION, map)).isEqualTo(OK);
      driver.store(address, word);
      pieces.add(new Piece(name, address, bytes, word));
    }

    void free(Piece piece) {
      ByteBuffer range = block(24).putLong(0, piece.address()).putLong(8, piece.bytes());
      assertThat(uvm(UvmCommand.FREE, range)).isEqualTo(OK);
      ByteBuffer argument = block(16, own, DEVICE, piece.handle());
      assertThat(
              of.ioctl(controlFile, ProgramEscape.FREE, argument).blocks(1).getFirst().getInt(12))
          .isEqualTo(OK);
    }
  }

  @Test
  void programs_whoseMemoryMovesAllTheTime_readWhatTheyWrote(RandomGenerator random)
      throws InterruptedException {
    driver.look(false);
    videoLimit.set(1L << 30);
    hostLimit.set(1L << 30);
    TestProgram another = connect();
    assertThat(another.hello().error()).isZero();
    List<Context> contexts =
        List.of(new Context(program, 1L << 40), new Context(another, 2L << 40));
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong moved = new AtomicLong();
    RandomGenerator movers = Seeds.generator(random.nextLong());
    Thread mover =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                long bytes = movers.nextInt(64) * PAGE;
                Moved more =
                    movers.nextBoolean() ? relay.evict(bytes, bytes) : relay.restore(bytes, bytes);
                moved.addAndGet(more.pieces());
              }
            });
    try {
      for (int i = 0; i < STEPS; i++) {
        contexts.get(random.nextInt(2)).step(random);
      }
    } finally {
      over.set(true);
      mover.join();
    }
    assertThat(moved).hasPositiveValue();
    contexts.forEach(context -> context.pieces.forEach(context::free));
    assertThat(relay.programs())
        .allSatisfy(status -> {
          assertThat(status.videoBytes()).isZero();
          assertThat(status.evictedBytes()).isZero();
        });
    assertThat(relay.evictedBytes()).isZero();
  }
}
