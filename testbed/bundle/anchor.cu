// What CUDA takes for the same on the same GPU: the anchors of `test --figures`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                     \
  do {                                                                  \
    cudaError_t error = (call);                                         \
    if (error != cudaSuccess) {                                         \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));    \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

__global__ void empty() {}

static const int kSamples = 10000;

template <typename F>
static void measure(const char *name, F once) {
  std::vector<double> us(kSamples);
  for (int round = 0; round < 2; round++) {
    for (double &sample : us) {
      auto start = std::chrono::steady_clock::now();
      once();
      sample = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    }
  }
  std::sort(us.begin(), us.end());
  printf("CUDA: %s: n=%d median=%.2f us p99=%.2f us max=%.2f us\n", name, kSamples, us[kSamples / 2],
         us[kSamples * 99 / 100], us.back());
}

static void bandwidth(const char *name, void *to, const void *from, cudaMemcpyKind kind) {
  const size_t bytes = 256 << 20;
  double best = 1e9;
  for (int i = 0; i < 40; i++) {
    auto start = std::chrono::steady_clock::now();
    CHECK(cudaMemcpyAsync(to, from, bytes, kind));
    CHECK(cudaStreamSynchronize(0));
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  printf("CUDA: %s 256 MiB, best of 40: %.1f GB/s\n", name, bytes / best / 1e9);
}

int main() {
  char *host, *device;
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  CHECK(cudaMallocHost(&host, 256 << 20));
  CHECK(cudaMalloc(&device, 256 << 20));
  bandwidth("host to video", device, host, cudaMemcpyHostToDevice);
  bandwidth("video to host", host, device, cudaMemcpyDeviceToHost);
  measure("empty kernel and synchronize", [] {
    empty<<<1, 1>>>();
    CHECK(cudaStreamSynchronize(0));
  });
  measure("4 KiB host to video memory and synchronize", [&] {
    CHECK(cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice));
    CHECK(cudaStreamSynchronize(0));
  });
  // For P4: the thread sleeps until the GPU interrupts.
  cudaEvent_t event;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming));
  measure("empty kernel, event and blocking wait for it", [&] {
    empty<<<1, 1>>>();
    CHECK(cudaEventRecord(event));
    CHECK(cudaEventSynchronize(event));
  });
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
  return 0;
}
