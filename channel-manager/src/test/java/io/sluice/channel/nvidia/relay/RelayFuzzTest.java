package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.testbed.checks.FuzzInput;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.fakes.TestCustody;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A hostile program calls anything with anything: what comes through is its own, and another
 * program has what it had.
 */
@ExtendWith(Seeds.class)
final class RelayFuzzTest {
  private static final int CALLS = 20_000;
  private static final int MAX_FUZZED_CALLS = 60;
  private static final long LIMIT = 4 << 20;
  private static final int VICTIMS_MEMORY = 0x5c00_0010;

  private final FakeKernel kernel = new FakeKernel();
  private final FakeDriver driver = new FakeDriver(kernel);
  private final SuspiciousDriver suspicious = new SuspiciousDriver(driver);
  private final DriverRelay relay =
      new DriverRelay(
          "web-01",
          kernel,
          suspicious,
          new RelayCard("card", 0x100, 0, 0, new UUID(0, 0)),
          new RelayLimits(
              8, MemoryBudget.upTo(() -> LIMIT), () -> LIMIT, MemoryBudget.upTo(() -> LIMIT)),
          driver,
          new TimeSlices(),
          System::nanoTime,
          () -> {});
  private final List<Thread> threads = new ArrayList<>();

  /** A program with the files and the client that it begins with. */
  private final class Side implements AutoCloseable {
    private final TestProgram program;
    private final int[] files = new int[3];
    private final int client;

    Side() {
      List<Fd> ends = kernel.socketpair();
      threads.add(Thread.ofPlatform().start(() -> relay.serve(ends.get(1), TestCustody.none())));
      program = new TestProgram(kernel, ends.get(0));
      assertThat(program.hello().error()).isZero();
      files[0] = program.open("nvidiactl");
      files[1] = program.open("nvidia0");
      files[2] = program.open("nvidia-uvm");
      ByteBuffer made =
          program.ioctl(files[0], ProgramEscape.ALLOC, block(48), block(0)).blocks(2).getFirst();
      client = made.getInt(8);
      assertThat(alloc(0x5c00_0001, ProgramClass.NV01_DEVICE_0, block(56, 0, client))).isZero();
    }

    int alloc(int handle, ProgramClass type, ByteBuffer parameters) {
      return program
          .ioctl(
              files[0],
              ProgramEscape.ALLOC,
              block(48, client, 0x5c00_0001, handle, type.number()),
              parameters)
          .blocks(2)
          .getFirst()
          .getInt(40);
    }

    @Override
    public void close() {
      program.close();
    }
  }

  @Test
  void program_thatCallsAnythingWithAnything_reachesNothingOfAnothers(RandomGenerator random)
      throws Exception {
    besideAVictim(random, CALLS, () -> true);
    System.out.printf("%d of %d calls came through%n", suspicious.calls(), CALLS);
    assertThat(suspicious.calls()).isBetween(CALLS / 20L, (long) CALLS * 2);
  }

  static Stream<byte[]> calls() {
    return Stream.of(1, 2, 3, 4)
        .map(seed -> {
          byte[] bytes = new byte[1000];
          Seeds.generator(seed).nextBytes(bytes);
          return bytes;
        });
  }

  @MethodSource("calls")
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void calls(byte[] input) throws Exception {
    FuzzInput choices = new FuzzInput(input);
    besideAVictim(choices, MAX_FUZZED_CALLS, () -> !choices.isEmpty());
  }

  private void besideAVictim(RandomGenerator random, int calls, BooleanSupplier goesOn)
      throws Exception {
    Side victim = new Side();
    ByteBuffer memory = block(128);
    memory.putLong(64, 4096);
    assertThat(victim.alloc(VICTIMS_MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory)).isZero();
    Side hostile = new Side();

    for (int i = 0; i < calls && goesOn.getAsBoolean(); i++) {
      try {
        call(random, hostile, victim.client);
      } catch (AssertionError _) {
        hostile.close(); // its connection has ended: it comes back
        hostile = new Side();
      }
    }
    hostile.close();
    threads.getLast().join();

    assertThat(suspicious.complaints()).isEmpty();
    assertThat(relay.programs()).hasSize(1);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(4096);
    ByteBuffer free = block(16, victim.client, 0x5c00_0001, VICTIMS_MEMORY);
    assertThat(
            victim
                .program
                .ioctl(victim.files[0], ProgramEscape.FREE, free)
                .blocks(1)
                .getFirst()
                .getInt(12))
        .isZero();
    victim.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(kernel.openFds()).isEqualTo(Map.of());
    assertThat(kernel.mappings()).isZero();
    assertThat(driver.objects()).isZero();
  }

  private void call(RandomGenerator random, Side side, int stranger) {
    switch (random.nextInt(10)) {
      case 0 ->
          side.program
              .map(file(random, side), number(random), number(random), number(random))
              .fds()
              .forEach(Fd::close);
      case 1 -> {
        int opened = side.program.tryOpen(random.nextBoolean() ? "nvidia0" : "nvidiactl").file();
        if (opened > 200) {
          side.program.close(opened);
        }
      }
      case 2 -> uvm(random, side, stranger);
      case 3 -> pin(random, side);
      default -> rm(random, side, stranger);
    }
  }

  private void rm(RandomGenerator random, Side side, int stranger) {
    ProgramEscape escape = pick(random, ProgramEscape.values());
    ByteBuffer argument = noise(random, side, stranger, escape.shape().bytes());
    List<ByteBuffer> blocks = new ArrayList<>(List.of(argument));
    if (escape == ProgramEscape.ALLOC) {
      ProgramClass type = pick(random, ProgramClass.values());
      argument.putInt(12, likely(random) ? type.number() : random.nextInt());
      if (likely(random)) {
        argument.putLong(24, 0);
        argument.putInt(36, 0);
      }
      int bytes = likely(random) ? type.shape().bytes() : random.nextInt(512);
      blocks.add(random.nextInt(8) == 0 ? block(0) : noise(random, side, stranger, bytes));
    }
    if (escape == ProgramEscape.CONTROL) {
      ProgramControl control = pick(random, ProgramControl.values());
      argument.putInt(8, likely(random) ? control.command() : random.nextInt());
      argument.putInt(12, likely(random) ? 0 : random.nextInt());
      int bytes = control.shape().bytes() < 0 ? 64 : control.shape().bytes();
      ByteBuffer parameters = noise(random, side, stranger, bytes);
      argument.putInt(24, likely(random) ? bytes : random.nextInt());
      blocks.add(parameters);
      control
          .shape()
          .lists()
          .forEach(list -> {
            int count = random.nextInt(9);
            if (likely(random)) {
              parameters.putInt(list.count(), count);
            }
            blocks.add(block(count * list.element()));
          });
    }
    if (likely(random)) {
      argument.putInt(0, side.client);
    }
    int request = TestProgram.request(escape) ^ (likely(random) ? 0 : 1 << random.nextInt(32));
    side.program
        .ioctl(file(random, side), request, blocks.toArray(ByteBuffer[]::new))
        .fds()
        .forEach(Fd::close);
  }

  private void uvm(RandomGenerator random, Side side, int stranger) {
    UvmCommand command = pick(random, UvmCommand.values());
    ByteBuffer argument = noise(random, side, stranger, command.shape().bytes());
    if (likely(random)) {
      command.shape().clients().forEach(at -> argument.putInt(at, side.client));
      command.shape().descriptors().forEach(at -> argument.putInt(at, side.files[0]));
    }
    if (random.nextBoolean() && argument.capacity() >= 16) {
      argument.putLong(0, 0x2_0400_0000L);
      argument.putLong(8, 4096);
    }
    int number = likely(random) ? command.number() : random.nextInt(128);
    int file = likely(random) ? side.files[2] : file(random, side);
    int _ = side.program.ioctl(file, number, argument).error();
  }

  private void pin(RandomGenerator random, Side side) {
    Fd file = kernel.memfdCreate("pinned", 8192);
    if (likely(random)) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
    }
    ByteBuffer argument =
        block(56, side.client, 0x5c00_0001, random.nextInt(64), likely(random) ? 0x71 : 0x3e);
    argument.putLong(32, likely(random) ? 4095 : number(random));
    int request = TestProgram.request(ProgramEscape.ALLOC_MEMORY);
    long at = likely(random) ? 4096 : number(random);
    try {
      int _ = side.program.ioctl(file(random, side), request, at, List.of(file), argument).error();
    } finally {
      file.close();
    }
  }

  private static boolean likely(RandomGenerator random) {
    return random.nextInt(8) != 0;
  }

  private static int file(RandomGenerator random, Side side) {
    return likely(random) ? side.files[random.nextInt(3)] : random.nextInt(300);
  }

  private static long number(RandomGenerator random) {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> 4096;
      case 2 -> -1;
      case 3 -> Long.MAX_VALUE;
      case 4 -> 0x2_0400_0000L;
      default -> random.nextLong();
    };
  }

  /** Words of all kinds: those of the program, those of another, and any. */
  private static ByteBuffer noise(RandomGenerator random, Side side, int stranger, int bytes) {
    int[] words = new int[bytes / 4];
    for (int i = 0; i < words.length; i++) {
      words[i] =
          switch (random.nextInt(8)) {
            case 0, 1, 2 -> 0;
            case 3 -> side.client;
            case 4 -> stranger;
            case 5 -> side.files[random.nextInt(3)];
            case 6 -> random.nextInt(64);
            default -> random.nextInt();
          };
    }
    return block(bytes, words);
  }

  private static <T> T pick(RandomGenerator random, T[] of) {
    return of[random.nextInt(of.length)];
  }
}
