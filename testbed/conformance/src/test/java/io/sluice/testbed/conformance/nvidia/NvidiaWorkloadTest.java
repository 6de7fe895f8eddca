package io.sluice.testbed.conformance.nvidia;

import static io.sluice.testbed.conformance.rig.Program.high;
import static io.sluice.testbed.conformance.rig.Program.low;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.conformance.rig.PageHash;
import io.sluice.testbed.conformance.rig.Program;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The four workloads, and the fingerprints of pages, against the same on the CPU. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NvidiaWorkloadTest {
  private static final long DATA = 0x40_0000_0000L;
  private static final long BYTES = 64L << 20;
  private static final int BLOCK = 128;
  private static final int PAGE = 4096;

  private NvidiaGpu gpu;
  private NvidiaRig.Guest guest;
  private Program program;
  private MemorySegment data;
  private Random random;

  @BeforeAll
  void open() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("sluice.seed=" + seed);
    random = new Random(seed);
    gpu = NvidiaRig.open();
    guest = new NvidiaRig.Guest(gpu, "workloads", NvidiaRig.COMPUTE_CLASS, NvidiaRig.COPY_CLASS);
    program = new Program(guest, "workloads.cu");
    GpuMemory memory = guest.allocate(true, BYTES);
    guest.mapAt(memory, DATA);
    data = guest.cpu(memory);
  }

  @AfterAll
  void close() throws Exception {
    if (guest != null) {
      guest.close();
    }
    if (gpu != null) {
      gpu.close();
    }
  }

  private static int blocks(int threads) {
    return (threads + BLOCK - 1) / BLOCK;
  }

  private float[] fill(long at, int count, float scale) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (random.nextFloat() - 0.5f) * scale;
    }
    MemorySegment.copy(values, 0, data, ValueLayout.JAVA_FLOAT, at, count);
    return values;
  }

  private float[] read(long at, int count) {
    return data.asSlice(at, 4L * count).toArray(ValueLayout.JAVA_FLOAT);
  }

  @Test
  void mmul_ofSquareMatrices_isTheCpusToTheBit() {
    int n = 200;
    long right = 1 << 20;
    long product = 2 << 20;
    float[] a = fill(0, n * n, 2);
    float[] b = fill(right, n * n, 2);
    program.run(
        "mmul",
        blocks(n * n),
        BLOCK,
        low(DATA),
        high(DATA),
        low(DATA + right),
        high(DATA + right),
        low(DATA + product),
        high(DATA + product),
        n);
    float[] expected = new float[n * n];
    for (int at = 0; at < n * n; at++) {
      float sum = 0;
      for (int k = 0; k < n; k++) {
        sum += a[at / n * n + k] * b[k * n + at % n];
      }
      expected[at] = sum;
    }
    assertThat(read(product, n * n)).isEqualTo(expected);
  }

  @Test
  void lud_inManyLaunches_isTheCpusToTheBit() {
    int n = 256;
    float[] a = fill(0, n * n, 2);
    for (int i = 0; i < n; i++) {
      a[i * n + i] += 100;
    }
    MemorySegment.copy(a, 0, data, ValueLayout.JAVA_FLOAT, 0, n * n);
    long last = 0;
    for (int k = 0; k < n - 1; k++) {
      int side = n - k - 1;
      if (k % 32 == 31) {
        program.await(last); // the ring has room for so many
      }
      long _ = program.start("lud_column", blocks(side), BLOCK, low(DATA), high(DATA), n, k);
      last = program.start("lud_rest", blocks(side * side), BLOCK, low(DATA), high(DATA), n, k);
    }
    program.await(last);
    for (int k = 0; k < n - 1; k++) {
      for (int row = k + 1; row < n; row++) {
        a[row * n + k] /= a[k * n + k];
        for (int column = k + 1; column < n; column++) {
          a[row * n + column] -= a[row * n + k] * a[k * n + column];
        }
      }
    }
    assertThat(read(0, n * n)).isEqualTo(a);
  }

  @Test
  void nn_ofManyPlaces_isTheCpusToTheBit() {
    int count = 100_003;
    long distances = 8 << 20;
    float[] places = fill(0, 2 * count, 180);
    float x = 12.25f;
    float y = -7.5f;
    program.run(
        "nn",
        blocks(count),
        BLOCK,
        low(DATA),
        high(DATA),
        low(DATA + distances),
        high(DATA + distances),
        count,
        Float.floatToRawIntBits(x),
        Float.floatToRawIntBits(y));
    float[] expected = new float[count];
    for (int i = 0; i < count; i++) {
      float dx = places[2 * i] - x;
      float dy = places[2 * i + 1] - y;
      expected[i] = (float) Math.sqrt(dx * dx + dy * dy);
    }
    assertThat(read(distances, count)).isEqualTo(expected);
  }

  @Test
  void backprop_oneStep_agreesWithTheCpu() {
    int inputs = 1024;
    int outputs = 48;
    long weightsAt = 1 << 20;
    long outputAt = 4 << 20;
    long deltaAt = 5 << 20;
    float rate = 0.3f;
    float[] input = fill(0, inputs, 1);
    float[] weights = fill(weightsAt, inputs * outputs, 1);
    float[] delta = fill(deltaAt, outputs, 1);
    program.run(
        "backprop_forward",
        blocks(outputs),
        BLOCK,
        low(DATA),
        high(DATA),
        low(DATA + weightsAt),
        high(DATA + weightsAt),
        low(DATA + outputAt),
        high(DATA + outputAt),
        inputs,
        outputs);
    float[] output = read(outputAt, outputs);
    for (int to = 0; to < outputs; to++) {
      float sum = 0;
      for (int from = 0; from < inputs; from++) {
        sum += input[from] * weights[from * outputs + to];
      }
      assertThat(output[to]).isCloseTo((float) (1 / (1 + Math.exp(-sum))), within(1e-6f));
    }
    program.run(
        "backprop_adjust",
        blocks(inputs * outputs),
        BLOCK,
        low(DATA),
        high(DATA),
        low(DATA + deltaAt),
        high(DATA + deltaAt),
        low(DATA + weightsAt),
        high(DATA + weightsAt),
        inputs,
        outputs,
        Float.floatToRawIntBits(rate));
    for (int at = 0; at < weights.length; at++) {
      weights[at] += rate * delta[at % outputs] * input[at / outputs];
    }
    assertThat(read(weightsAt, weights.length)).isEqualTo(weights);
  }

  @Test
  void pageHash_ofManyPages_isTheCpusAndTellsChangedBytes() {
    int pages = 5000;
    long hashesAt = 32 << 20;
    long seed = random.nextLong();
    for (long at = 0; at < (long) pages * PAGE; at += 8) {
      data.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
    for (int round = 0; round < 2; round++) {
      program.run(
          "page_hash",
          264,
          256,
          low(DATA),
          high(DATA),
          low(DATA + hashesAt),
          high(DATA + hashesAt),
          low(seed),
          high(seed),
          pages);
      for (int page = 0; page < pages; page++) {
        long[] expected = PageHash.of(data.asSlice((long) page * PAGE, PAGE), seed);
        assertThat(data.get(ValueLayout.JAVA_LONG, hashesAt + 16L * page)).isEqualTo(expected[0]);
        assertThat(data.get(ValueLayout.JAVA_LONG, hashesAt + 16L * page + 8))
            .isEqualTo(expected[1]);
      }
      long at = random.nextInt(pages * PAGE);
      byte before = data.get(ValueLayout.JAVA_BYTE, at);
      data.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1 << random.nextInt(8)));
      long[] changed = PageHash.of(data.asSlice(at / PAGE * PAGE, PAGE), seed);
      assertThat(changed[0])
          .isNotEqualTo(data.get(ValueLayout.JAVA_LONG, hashesAt + 16 * (at / PAGE)));
    }
  }
}
