package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.SyscallException;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.fakes.TestCustody;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Programs that do what real ones did, but for a call here and there, several at once: so they come
 * far before they lie. What comes through is their own, and another program has what it had.
 */
@ExtendWith(Seeds.class)
final class RelayTraceFuzzTest {
  private static final int HOSTILE = 3;
  private static final int ROUNDS = 10;

  /** One request of so many is another than was recorded. */
  private static final int RARELY = 24;

  private static final long LIMIT = 1L << 31;
  private static final int BLOCKS = (int) RelayRequest.SIZE;
  private static final int CLIENT_AT = 8; // of NVOS64's answer: hObjectNew
  private static final int DEVICE = 0x5c00_0001;
  private static final int MEMORY = 0x5c00_0010;

  private final Kernel kernel = RealKernel.create();
  private final FakeDriver driver = new FakeDriver(kernel);
  private final SuspiciousDriver suspicious = new SuspiciousDriver(driver);
  private final List<RelayTrace> traces = RelayTrace.all();
  private final DriverRelay relay =
      new DriverRelay(
          "web-01",
          kernel,
          suspicious,
          traces.getFirst().card(),
          new RelayLimits(
              8, MemoryBudget.upTo(() -> LIMIT), () -> LIMIT, MemoryBudget.upTo(() -> LIMIT)),
          driver,
          new TimeSlices(),
          System::nanoTime,
          () -> {});
  private final ConcurrentLinkedQueue<Thread> servers = new ConcurrentLinkedQueue<>();
  private final AtomicLong sent = new AtomicLong();

  private TestProgram connect() {
    List<Fd> ends = kernel.socketpair();
    servers.add(Thread.ofPlatform().start(() -> relay.serve(ends.get(1), TestCustody.none())));
    return new TestProgram(kernel, ends.get(0));
  }

  /** A program that follows recordings, with a client of its own where the recorded one had one. */
  private final class Liar {
    private final RandomGenerator random;
    private final int stranger;
    private final Map<Integer, Integer> clients = new HashMap<>();

    Liar(RandomGenerator random, int stranger) {
      this.random = random;
      this.stranger = stranger;
    }

    void run() {
      for (int i = 0; i < ROUNDS; i++) {
        RelayTrace trace = traces.get(random.nextInt(traces.size()));
        clients.clear();
        try (TestProgram program = connect()) {
          for (RelayTrace.Exchange exchange : trace.exchanges()) {
            follow(program, exchange);
          }
        } catch (AssertionError | SyscallException _) {
          // its connection has ended: it comes back
        }
      }
    }

    private void follow(TestProgram program, RelayTrace.Exchange exchange) {
      byte[] request = exchange.request().clone();
      translate(request);
      int times = 1;
      if (random.nextInt(RARELY) == 0) {
        times = random.nextInt(3);
        spoil(request);
      }
      for (int i = 0; i < times; i++) {
        sent.incrementAndGet();
        TestProgram.Answer answer = ask(program, request);
        answer.fds().forEach(Fd::close);
        learn(exchange, answer.message());
      }
    }

    private TestProgram.Answer ask(TestProgram program, byte[] request) {
      long pinned = RelayTraceTest.pinnedBytes(request);
      if (pinned <= 0 || pinned > LIMIT) {
        return program.ask(request, List.of());
      }
      try (Fd file = kernel.memfdCreate("pinned", pinned)) {
        kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
        return program.ask(request, List.of(file));
      }
    }

    private void translate(byte[] request) {
      ByteBuffer words = ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN);
      for (int at = BLOCKS; at + Integer.BYTES <= request.length; at += Integer.BYTES) {
        words.putInt(at, clients.getOrDefault(words.getInt(at), words.getInt(at)));
      }
    }

    /** The driver has named a client: otherwise than then. */
    private void learn(RelayTrace.Exchange exchange, byte[] answer) {
      byte[] request = exchange.request();
      if (RelayTraceTest.word(request, RelayRequest.ARGUMENT.offset())
              == TestProgram.request(ProgramEscape.ALLOC)
          && answer.length == exchange.reply().length
          && answer.length == request.length
          && FakeDriver.isClient(argument(request, 12))) {
        clients.put(argument(exchange.reply(), CLIENT_AT), argument(answer, CLIENT_AT));
      }
    }

    /** A word of the first of two blocks. */
    private static int argument(byte[] message, int at) {
      return RelayTraceTest.word(message, RelayReply.SIZE + Long.BYTES + at);
    }

    /** Another word, anywhere: most often in the blocks. */
    private void spoil(byte[] request) {
      int words = request.length / Integer.BYTES;
      int first = random.nextInt(8) == 0 ? 1 : BLOCKS / Integer.BYTES;
      for (int i = random.nextInt(3); i >= 0 && words > first; i--) {
        int at = (first + random.nextInt(words - first)) * Integer.BYTES;
        MemorySegment.ofArray(request).set(ValueLayout.JAVA_INT_UNALIGNED, at, word(request, at));
      }
    }

    private int word(byte[] request, int at) {
      return switch (random.nextInt(7)) {
        case 0 -> 0;
        case 1 -> -1;
        case 2 -> stranger;
        case 3 -> random.nextInt(64);
        case 4 -> RelayTraceTest.word(request, at) ^ 1 << random.nextInt(Integer.SIZE);
        case 5 -> Integer.MAX_VALUE;
        default -> random.nextInt();
      };
    }
  }

  @Test
  void programs_thatLieNowAndThen_reachNothingOfAnothers(RandomGenerator random) throws Exception {
    try (TestProgram victim = connect()) {
      assertThat(victim.hello().error()).isZero();
      int control = victim.open("nvidiactl");
      int card = victim.open("nvidia0");
      int client = RelayFixture.client(victim, control);
      ByteBuffer device = block(56, traces.getFirst().card().deviceInstance(), client);
      assertThat(alloc(victim, control, client, client, DEVICE, ProgramClass.NV01_DEVICE_0, device))
          .isZero();
      ByteBuffer memory = RelayFixture.memory(4096);
      assertThat(card).isPositive();
      assertThat(
              alloc(
                  victim, control, client, DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory))
          .isZero();

      race(new SplittableRandom(random.nextLong()), client);

      assertThat(suspicious.complaints()).isEmpty();
      System.out.printf("%d calls came of %d requests%n", suspicious.calls(), sent.get());
      assertThat(suspicious.calls()).as("the liars came far").isGreaterThan(sent.get() / 4);
      assertThat(relay.programs()).hasSize(1);
      assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(4096);
      ByteBuffer free = block(16, client, DEVICE, MEMORY);
      assertThat(victim.ioctl(control, ProgramEscape.FREE, free).blocks(1).getFirst().getInt(12))
          .isZero();
    }
    for (Thread server : servers) {
      server.join();
    }
    assertThat(relay.programs()).isEmpty();
    assertThat(driver.objects()).isZero();
  }

  private static int alloc(
      TestProgram of,
      int control,
      int client,
      int parent,
      int handle,
      ProgramClass type,
      ByteBuffer parameters) {
    return of.ioctl(
            control,
            ProgramEscape.ALLOC,
            RelayFixture.alloc(client, parent, handle, type),
            parameters)
        .blocks(2)
        .getFirst()
        .getInt(40);
  }

  /** Runs the liars to their end, and waits until the relay has done with them. */
  private void race(SplittableRandom random, int stranger) throws InterruptedException {
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> liars = new ArrayList<>();
    for (int i = 0; i < HOSTILE; i++) {
      Liar liar = new Liar(random.split(), stranger);
      liars.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  begin.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                liar.run();
              }));
    }
    Thread victims = servers.peek();
    begin.countDown();
    for (Thread liar : liars) {
      liar.join();
    }
    for (Thread server : servers) {
      if (server != victims) {
        server.join();
      }
    }
  }
}
