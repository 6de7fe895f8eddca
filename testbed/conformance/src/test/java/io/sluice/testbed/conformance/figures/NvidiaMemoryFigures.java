package io.sluice.testbed.conformance.figures;

import static io.sluice.testbed.conformance.rig.Program.high;
import static io.sluice.testbed.conformance.rig.Program.low;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.conformance.rig.Program;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Measures, judges nothing but the bytes: checkpoint and restore of video memory, fingerprints of
 * pages by the GPU, eviction.
 */
public final class NvidiaMemoryFigures {
  private static final long GIB = 1L << 30;
  private static final int PAGE = 4096;
  private static final long VIDEO = 0x20_0000_0000L;

  private NvidiaMemoryFigures() {}

  /** Sizes of checkpoints in GiB; 1, 8 and 64 without. */
  public static void main(String[] arguments) throws Exception {
    int[] sizes = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
    try (NvidiaGpu gpu = NvidiaRig.open()) {
      fingerprints(gpu);
      fingerprintsForMoves(gpu);
      eviction(gpu);
      for (int gib : sizes.length > 0 ? sizes : new int[] {1, 8, 64}) {
        checkpoint(gpu, gib);
      }
    }
  }

  private static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private static void checkpoint(NvidiaGpu card, int gib) throws Exception {
    Kernel kernel = NvidiaRig.kernel();
    long bytes = gib * GIB;
    try (GuestGpu guest = card.open("checkpoint");
        Fd file = kernel.memfdCreate("staging", bytes);
        Mapping mapping = kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      long start = System.nanoTime();
      forEachGib(
          mapping.segment(),
          gib,
          (part, i) -> {
            for (long at = 0; at < GIB; at += PAGE) {
              part.set(ValueLayout.JAVA_LONG, at, at + i * GIB + 1);
              part.set(ValueLayout.JAVA_LONG, at + PAGE - 8, ~(at + i * GIB));
            }
            return 0;
          });
      long touched = System.nanoTime();
      List<GpuMemory> video = new ArrayList<>();
      for (int i = 0; i < gib; i++) {
        video.add(guest.allocate(request(PscnvGem.VRAM_SMALL, GIB)));
      }
      var region = guest.addRegion(file, 0, bytes, true);
      GpuMemory staging = guest.register(request(PscnvGem.SYSRAM_SNOOP, bytes));
      List<RegionExtent> extents = new ArrayList<>();
      for (int i = 0; i < gib; i++) {
        extents.add(new RegionExtent(region, i * GIB, GIB));
      }
      long allocated = System.nanoTime();
      staging.setPages(0, extents);
      guest.copy(staging, 0, video.getFirst(), 0, PAGE); // maps the staging
      long registered = System.nanoTime();
      for (int round = 0; round < 2; round++) {
        long begin = System.nanoTime();
        for (int i = 0; i < gib; i++) {
          guest.copy(staging, i * GIB, video.get(i), 0, GIB);
        }
        long in = System.nanoTime();
        forEachGib(
            mapping.segment(),
            gib,
            (part, _) -> {
              for (long at = 0; at < GIB; at += PAGE) {
                part.set(ValueLayout.JAVA_LONG, at, 0);
                part.set(ValueLayout.JAVA_LONG, at + PAGE - 8, 0);
              }
              return 0;
            });
        long cleared = System.nanoTime();
        for (int i = 0; i < gib; i++) {
          guest.copy(video.get(i), 0, staging, i * GIB, GIB);
        }
        long out = System.nanoTime();
        long wrong =
            forEachGib(
                mapping.segment(),
                gib,
                (part, i) -> {
                  long bad = 0;
                  for (long at = 0; at < GIB; at += PAGE) {
                    bad += part.get(ValueLayout.JAVA_LONG, at) == at + i * GIB + 1 ? 0 : 1;
                    bad +=
                        part.get(ValueLayout.JAVA_LONG, at + PAGE - 8) == ~(at + i * GIB) ? 0 : 1;
                  }
                  return bad;
                });
        System.out.printf(
            Locale.ROOT,
            "checkpoint of %d GiB: %.3f s, %.1f GB/s; restore: %.3f s, %.1f GB/s; wrong words %d;"
                + " staging touched in %.1f s, registered and mapped in %.2f s%n",
            gib,
            (out - cleared) / 1e9,
            (double) bytes / (out - cleared),
            (in - begin) / 1e9,
            (double) bytes / (in - begin),
            wrong,
            (touched - start) / 1e9,
            (registered - allocated) / 1e9);
      }
      staging.close();
      video.forEach(GpuMemory::close);
      region.close();
    }
  }

  private interface PartOfGib {
    long run(MemorySegment part, int index);
  }

  private static long forEachGib(MemorySegment all, int gib, PartOfGib action) {
    return IntStream.range(0, gib)
        .parallel()
        .mapToLong(i -> action.run(all.asSlice(i * GIB, GIB), i))
        .sum();
  }

  private static void fingerprints(NvidiaGpu gpu) throws Exception {
    int gib = 64;
    try (var guest =
        new NvidiaRig.Guest(gpu, "hash", NvidiaRig.COMPUTE_CLASS, NvidiaRig.COPY_CLASS)) {
      Program program = new Program(guest, "workloads.cu");
      for (int i = 0; i < gib; i++) {
        guest.mapAt(guest.allocate(false, GIB), VIDEO + i * GIB);
      }
      long hashes = VIDEO + gib * GIB;
      int pages = (int) (gib * GIB / PAGE);
      guest.mapAt(guest.allocate(false, 16L * pages), hashes);
      for (String kernel : new String[] {"page_read", "page_hash", "page_read", "page_hash"}) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
          long start = System.nanoTime();
          program.run(
              kernel,
              132 * 8,
              256,
              low(VIDEO),
              high(VIDEO),
              low(hashes),
              high(hashes),
              0x1234_5678,
              0x9abc_def0,
              pages);
          best = Math.min(best, System.nanoTime() - start);
        }
        System.out.printf(
            Locale.ROOT,
            "%s of %d GiB by the GPU, best of 5: %.2f ms, %.0f GB/s%n",
            kernel,
            gib,
            best / 1e6,
            (double) gib * GIB / best);
      }
    }
  }

  /** As a migration has them computed, with the sums in host memory. */
  private static void fingerprintsForMoves(NvidiaGpu gpu) throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "moved", NvidiaRig.COPY_CLASS)) {
      GpuMemory video = guest.allocate(false, 16 * GIB);
      GpuMemory sums = guest.allocate(true, 16 * GIB / PAGE * 16);
      long[] key = new long[GuestGpu.KEY_WORDS];
      for (long bytes : new long[] {16L << 20, 128L << 20, GIB, 16 * GIB}) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
          long start = System.nanoTime();
          guest.gpu.fingerprint(video, 0, (int) (bytes / PAGE), key, sums, 0);
          best = Math.min(best, System.nanoTime() - start);
        }
        System.out.printf(
            Locale.ROOT,
            "fingerprints of %d MiB for a migration, best of 10: %.3f ms, %.0f GB/s%n",
            bytes >> 20,
            best / 1e6,
            (double) bytes / best);
      }
    }
  }

  private static void eviction(NvidiaGpu gpu) throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "evicted", NvidiaRig.COPY_CLASS)) {
      GpuMemory memory = guest.allocate(false, GIB);
      guest.mapAt(memory, VIDEO);
      for (int round = 0; round < 3; round++) {
        long start = System.nanoTime();
        memory.setPool(true);
        long out = System.nanoTime();
        memory.setPool(false);
        long in = System.nanoTime();
        System.out.printf(
            Locale.ROOT,
            "eviction of 1 GiB: %.1f ms; return: %.1f ms%n",
            (out - start) / 1e6,
            (in - out) / 1e6);
      }
    }
  }
}
