// What CUDA programs do, a part each: vec, stack, streams, events, graph, pinned, registered, managed, cooperative,
// symbols, memory, many, threads, lasting, chained, hosted, bulky. Each prints a line of results that a second run prints alike.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                                              \
  do {                                                                                           \
    cudaError_t error = (call);                                                                  \
    if (error != cudaSuccess) {                                                                  \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));          \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

static const int kN = 1 << 20;

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void hash(uint32_t *data, int n, uint32_t rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x = data[i];
  for (uint32_t r = 0; r < rounds; r++) x = (x ^ (x >> 15)) * 0x85ebca6b + r;
  data[i] = x;
}

__global__ void deep(uint32_t *out, int seed) {  // an array that no register holds
  uint32_t local[512];
  for (int i = 0; i < 512; i++) local[i] = i * seed + threadIdx.x;
  uint32_t sum = 0;
  for (int i = 0; i < 512; i++) sum += local[(i * 7 + sum) & 511];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void everyone(uint32_t *data, int n) {  // a barrier of the whole grid
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i * 2654435761u;
  grid.sync();
  uint32_t other = data[(i + n / 2) % n];
  grid.sync();
  data[i] ^= other;
}

__device__ uint32_t symbol[256];
__global__ void fill(uint32_t by) { symbol[threadIdx.x] = threadIdx.x * by; }

static uint64_t sum(const void *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  uint64_t h = 1469598103934665603ull;
  for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

static uint64_t of_device(const void *device, size_t bytes) {
  std::vector<char> host(bytes);
  CHECK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
  return sum(host.data(), bytes);
}

static void fill_words(uint32_t *words, size_t n) {
  for (size_t i = 0; i < n; i++) words[i] = (uint32_t)(i * 2246822519u + 374761393u);
}

static void vec() {
  std::vector<float> a(kN), b(kN), c(kN);
  for (int i = 0; i < kN; i++) a[i] = i * 0.5f, b[i] = i * 0.25f;
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, kN * 4));
  CHECK(cudaMalloc(&db, kN * 4));
  CHECK(cudaMalloc(&dc, kN * 4));
  CHECK(cudaMemcpy(da, a.data(), kN * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), kN * 4, cudaMemcpyHostToDevice));
  add<<<kN / 256, 256>>>(da, db, dc, kN);
  CHECK(cudaMemcpy(c.data(), dc, kN * 4, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kN; i++) wrong += c[i] != i * 0.75f;
  printf("vec: wrong %d, %016llx\n", wrong, (unsigned long long)sum(c.data(), kN * 4));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
}

static void stack() {
  uint32_t *out;
  CHECK(cudaMalloc(&out, 65536 * 4));
  deep<<<256, 256>>>(out, 3);
  CHECK(cudaDeviceSynchronize());
  printf("stack: %016llx\n", (unsigned long long)of_device(out, 65536 * 4));
}

static void streams() {
  int low, high;
  CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
  std::vector<cudaStream_t> all(6);
  uint32_t *device, *host;
  CHECK(cudaMalloc(&device, 6 * kN * 4));
  CHECK(cudaMallocHost(&host, 6 * kN * 4));
  fill_words(host, 6 * (size_t)kN);
  for (int i = 0; i < 6; i++) {
    CHECK(cudaStreamCreateWithPriority(&all[i], cudaStreamNonBlocking, i % 2 ? high : low));
    CHECK(cudaMemcpyAsync(device + i * kN, host + i * kN, kN * 4, cudaMemcpyHostToDevice, all[i]));
    for (int k = 0; k < 200; k++) hash<<<kN / 256, 256, 0, all[i]>>>(device + i * kN, kN, 8 + i);
    CHECK(cudaMemcpyAsync(host + i * kN, device + i * kN, kN * 4, cudaMemcpyDeviceToHost, all[i]));
  }
  for (auto each : all) {
    CHECK(cudaStreamSynchronize(each));
    CHECK(cudaStreamDestroy(each));
  }
  printf("streams: priorities %d to %d, %016llx\n", low, high, (unsigned long long)sum(host, 6 * (size_t)kN * 4));
}

static void events() {
  cudaEvent_t timing[2], blocking;
  cudaStream_t one, other;
  uint32_t *data;
  CHECK(cudaMalloc(&data, kN * 4));
  CHECK(cudaMemset(data, 1, kN * 4));
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreate(&timing[0]));
  CHECK(cudaEventCreate(&timing[1]));
  CHECK(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync | cudaEventDisableTiming));
  float ms = 0;
  for (int i = 0; i < 50; i++) {
    CHECK(cudaEventRecord(timing[0], one));
    hash<<<kN / 256, 256, 0, one>>>(data, kN, 64);
    CHECK(cudaEventRecord(timing[1], one));
    CHECK(cudaStreamWaitEvent(other, timing[1]));
    hash<<<kN / 256, 256, 0, other>>>(data, kN, 3);
    CHECK(cudaEventRecord(blocking, other));
    CHECK(cudaEventSynchronize(blocking));
    CHECK(cudaEventElapsedTime(&ms, timing[0], timing[1]));
    if (ms <= 0 || ms > 10000) printf("events: a time of %f ms\n", ms);
  }
  printf("events: %016llx\n", (unsigned long long)of_device(data, kN * 4));
}

static void graph() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  uint32_t *data;
  CHECK(cudaMalloc(&data, kN * 4));
  CHECK(cudaMemset(data, 2, kN * 4));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 100; i++) hash<<<kN / 256, 256, 0, stream>>>(data, kN, i);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 20; i++) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("graph: %016llx\n", (unsigned long long)of_device(data, kN * 4));
}

static void pinned() {
  size_t bytes = 64 << 20;
  uint32_t *host, *back, *mapped, *device;
  CHECK(cudaHostAlloc(&host, bytes, cudaHostAllocDefault));
  CHECK(cudaHostAlloc(&back, bytes, cudaHostAllocWriteCombined));
  CHECK(cudaHostAlloc(&mapped, kN * 4, cudaHostAllocMapped));
  CHECK(cudaMalloc(&device, bytes));
  fill_words(host, bytes / 4);
  fill_words(mapped, kN);
  CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(back, device, bytes, cudaMemcpyDeviceToHost));
  hash<<<kN / 256, 256>>>(mapped, kN, 5);
  CHECK(cudaDeviceSynchronize());
  printf("pinned: equal %d, mapped %016llx\n", memcmp(host, back, bytes) == 0, (unsigned long long)sum(mapped, kN * 4));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFreeHost(back));
  CHECK(cudaFreeHost(mapped));
}

static void registered() {
  std::vector<uint32_t> heap(kN + 1024);
  uint32_t *at = heap.data() + 3;  // not at a page
  uint32_t *device, *view;
  fill_words(at, kN);
  CHECK(cudaHostRegister(at, kN * 4, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&view, at, 0));
  hash<<<kN / 256, 256>>>(view, kN, 9);
  CHECK(cudaDeviceSynchronize());
  uint64_t mapped = sum(at, kN * 4);
  CHECK(cudaMalloc(&device, kN * 4));
  CHECK(cudaMemcpyAsync(device, at, kN * 4, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(at));
  printf("registered: %016llx, copied %d\n", (unsigned long long)mapped, of_device(device, kN * 4) == mapped);
}

static void managed() {
  uint32_t *data;
  size_t n = 4 << 20;
  CHECK(cudaMallocManaged(&data, n * 4));
  fill_words(data, n);
  for (int i = 0; i < 3; i++) {
    hash<<<n / 256, 256>>>(data, n, 4);
    CHECK(cudaDeviceSynchronize());
    for (size_t k = 0; k < n; k += 4097) data[k]++;
  }
  printf("managed: %016llx\n", (unsigned long long)sum(data, n * 4));
  CHECK(cudaFree(data));
}

static void cooperative() {
  int device = 0, sms, blocks;
  uint32_t *data;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  blocks = 64 < sms ? 64 : sms;
  int n = blocks * 256;
  CHECK(cudaMalloc(&data, n * 4));
  void *arguments[] = {&data, &n};
  for (int i = 0; i < 10; i++) CHECK(cudaLaunchCooperativeKernel((void *)everyone, blocks, 256, arguments, 0, 0));
  CHECK(cudaDeviceSynchronize());
  printf("cooperative: %016llx\n", (unsigned long long)of_device(data, n * 4));
}

static void symbols() {
  uint32_t host[256];
  fill<<<1, 256>>>(77);
  CHECK(cudaMemcpyFromSymbol(host, symbol, sizeof host));
  printf("symbols: %016llx\n", (unsigned long long)sum(host, sizeof host));
}

static void memory() {  // as much as there is, and a bit more: the error, and that all goes on
  size_t left, total;
  CHECK(cudaMemGetInfo(&left, &total));
  void *big = nullptr;
  cudaError_t error = cudaMalloc(&big, total * 2);
  printf("memory: too much is \"%s\", ", cudaGetErrorString(error));
  (void)cudaGetLastError();
  for (int i = 0; i < 200; i++) {
    void *some;
    CHECK(cudaMalloc(&some, (size_t)(1 + i % 7) << 20));
    CHECK(cudaMemset(some, i, (size_t)(1 + i % 7) << 20));
    CHECK(cudaFree(some));
  }
  uint32_t *data;
  CHECK(cudaMalloc(&data, kN * 4));
  CHECK(cudaMemset(data, 3, kN * 4));
  hash<<<kN / 256, 256>>>(data, kN, 2);
  printf("%016llx\n", (unsigned long long)of_device(data, kN * 4));
}

static void many() {  // every launch counts once
  uint32_t *data;
  CHECK(cudaMalloc(&data, 1024 * 4));
  CHECK(cudaMemset(data, 0, 1024 * 4));
  for (int i = 0; i < 100000; i++) hash<<<4, 256>>>(data, 1024, 1);
  CHECK(cudaDeviceSynchronize());
  printf("many: %016llx\n", (unsigned long long)of_device(data, 1024 * 4));
}

static void threads() {
  std::vector<std::thread> all;
  std::vector<uint64_t> sums(8);
  for (int i = 0; i < 8; i++)
    all.emplace_back([i, &sums] {
      cudaStream_t stream;
      uint32_t *data;
      CHECK(cudaStreamCreate(&stream));
      for (int k = 0; k < 20; k++) {
        CHECK(cudaMalloc(&data, kN * 4));
        CHECK(cudaMemsetAsync(data, i, kN * 4, stream));
        hash<<<kN / 256, 256, 0, stream>>>(data, kN, 10 + k);
        CHECK(cudaStreamSynchronize(stream));
        sums[i] ^= of_device(data, kN * 4);
        CHECK(cudaFree(data));
      }
    });
  for (auto &each : all) each.join();
  printf("threads: %016llx\n", (unsigned long long)sum(sums.data(), sums.size() * 8));
}

static double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename F>
static void figure(const char *name, int count, int each, F once) {  // the median of `count`, of `each` calls
  std::vector<double> us(count);
  for (int i = 0; i < count / 10 + 1; i++) once();
  for (auto &sample : us) {
    double start = now_us();
    once();
    sample = (now_us() - start) / each;
  }
  std::sort(us.begin(), us.end());
  printf("%s: %.2f us\n", name, us[count / 2]);
}

static void figures() {  // U1, U3 and U4 of docs/performance.md
  double start = now_us();
  CHECK(cudaFree(0));
  printf("context: %.0f us\n", now_us() - start);
  uint32_t *device, *host;
  size_t bytes = 64 << 20;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  figure("launch and synchronize", 5000, 1, [&] {
    hash<<<1, 32>>>(device, 32, 1);
    CHECK(cudaDeviceSynchronize());
  });
  figure("launches in a row", 20, 10000, [&] {
    for (int i = 0; i < 10000; i++) hash<<<1, 32>>>(device, 32, 1);
    CHECK(cudaDeviceSynchronize());
  });
  figure("copy of 4 KiB and synchronize", 5000, 1, [&] {
    CHECK(cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice));
    CHECK(cudaStreamSynchronize(0));
  });
  figure("64 MiB to the GPU", 50, 1, [&] {
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaStreamSynchronize(0));
  });
  figure("64 MiB from the GPU", 50, 1, [&] {
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
  });
  cudaEvent_t event;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming));
  figure("kernel and blocking event", 2000, 1, [&] {
    hash<<<1, 32>>>(device, 32, 1);
    CHECK(cudaEventRecord(event));
    CHECK(cudaEventSynchronize(event));
  });
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 100; i++) hash<<<1, 32, 0, stream>>>(device, 32, 1);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  figure("graph of 100 kernels", 500, 1, [&] {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
  });
  figure("cudaMalloc and cudaFree of 2 MiB", 500, 1, [&] {
    void *some;
    CHECK(cudaMalloc(&some, 2 << 20));
    CHECK(cudaFree(some));
  });
}

static void spin() {  // works until it is killed
  uint32_t *data;
  CHECK(cudaMalloc(&data, 64 << 20));
  puts("spins");
  fflush(stdout);
  for (;;) {
    hash<<<kN / 256, 256>>>(data, kN, 100);
    CHECK(cudaDeviceSynchronize());
  }
}

__global__ void lasts(uint64_t nanoseconds, uint32_t *done) {
  uint64_t from, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - from < nanoseconds);
  *done += 1;
}

static void lasting() {  // waits of all kinds for kernels of seconds, which are waited for to their end
  uint32_t *done, count = 0;
  CHECK(cudaMalloc(&done, sizeof(*done)));
  CHECK(cudaMemset(done, 0, sizeof(*done)));
  cudaEvent_t spins, sleeps;
  CHECK(cudaEventCreateWithFlags(&spins, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&sleeps, cudaEventBlockingSync | cudaEventDisableTiming));
  for (cudaEvent_t event : {spins, sleeps}) {
    lasts<<<1, 1>>>(2500000000ull, done);
    CHECK(cudaEventRecord(event));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaMemcpy(&count, done, sizeof(count), cudaMemcpyDeviceToHost));
    printf("lasting: %u by an event\n", count);
  }
  lasts<<<1, 1>>>(2500000000ull, done);
  CHECK(cudaMemcpy(&count, done, sizeof(count), cudaMemcpyDeviceToHost));
  printf("lasting: %u by a copy\n", count);
  lasts<<<1, 1>>>(2500000000ull, done);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&count, done, sizeof(count), cudaMemcpyDeviceToHost));
  printf("lasting: %u by the device\n", count);
}

static uint32_t take(const uint32_t *counter) {
  uint32_t count = 0;
  CHECK(cudaMemcpy(&count, counter, sizeof(count), cudaMemcpyDeviceToHost));
  return count;
}

static void chained() {  // kernels of three streams, each of which waits for that before
  uint32_t *done;
  CHECK(cudaMalloc(&done, sizeof(*done)));
  CHECK(cudaMemset(done, 0, sizeof(*done)));
  cudaStream_t streams[3];
  cudaEvent_t ended;
  for (auto &stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming));
  for (int i = 0; i < 12; i++) {
    cudaStream_t stream = streams[i % 3];
    if (i > 0) CHECK(cudaStreamWaitEvent(stream, ended, 0));
    lasts<<<1, 1, 0, stream>>>(400000000ull, done);
    CHECK(cudaEventRecord(ended, stream));
  }
  CHECK(cudaEventSynchronize(ended));
  printf("chained: %u\n", take(done));
}

static void CUDART_CB sleeps(void *times) {
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  ++*(int *)times;
}

static void hosted() {  // functions of the host between kernels, which wait for them on the GPU
  uint32_t *done;
  int times = 0;
  CHECK(cudaMalloc(&done, sizeof(*done)));
  CHECK(cudaMemset(done, 0, sizeof(*done)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 8; i++) {
    lasts<<<1, 1, 0, stream>>>(1000000ull, done);
    CHECK(cudaLaunchHostFunc(stream, sleeps, &times));
  }
  lasts<<<1, 1, 0, stream>>>(1000000ull, done);
  CHECK(cudaStreamSynchronize(stream));
  printf("hosted: %u kernels, %d functions\n", take(done), times);
}

static void bulky() {  // copies of a tenth of a second, one way and the other
  const size_t bytes = 3ull << 30;
  uint32_t *memory, *host;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  for (size_t i = 0; i < bytes / sizeof(*host); i += 1024) host[i] = i * 2654435761u;
  for (int i = 0; i < 10; i++) {
    CHECK(cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice));
    hash<<<kN / 256, 256>>>(memory, kN, 1);
    CHECK(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
  }
  uint64_t h = 0;
  for (size_t i = 0; i < bytes / sizeof(*host); i += 1024) h = h * 31 + host[i];
  printf("bulky: %016llx %016llx\n", (unsigned long long)h, (unsigned long long)sum(host, kN * sizeof(*host)));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(memory));
}

__global__ void forever(volatile uint32_t *stop) {
  while (!*stop) {
  }
}

static void endless() {  // a kernel on the whole card that does not end
  uint32_t *stop;
  CHECK(cudaMalloc(&stop, sizeof(*stop)));
  CHECK(cudaMemset(stop, 0, sizeof(*stop)));
  forever<<<1024, 1024>>>(stop);
  puts("endless");
  fflush(stdout);
  CHECK(cudaDeviceSynchronize());
}

static void share(double from, double seconds) {  // kernels that end within a time, epoch seconds, of work without end
  uint32_t *data;
  CHECK(cudaMalloc(&data, kN * sizeof(uint32_t)));
  const int depth = 16;
  cudaEvent_t ends[depth];
  for (auto &end : ends) CHECK(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
  long done = 0, before = 0;
  double now;
  for (long i = 0;; i++) {
    cudaEvent_t end = ends[i % depth];
    if (i >= depth) {
      CHECK(cudaEventSynchronize(end));
      done++;
    }
    now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    if (now < from) before = done;
    if (now >= from + seconds) break;
    hash<<<kN / 256, 256>>>(data, kN, 2000);
    CHECK(cudaEventRecord(end));
  }
  CHECK(cudaDeviceSynchronize());
  printf("share: %ld kernels\n", done - before);
}

static void keep(size_t mib) {  // has so much until it ends, with something in it
  uint32_t *data;
  CHECK(cudaMalloc(&data, mib << 20));
  CHECK(cudaMemset(data, 0x5a, mib << 20));
  CHECK(cudaDeviceSynchronize());
}

static void hold(size_t mib) {  // allocates so much, says how it went
  void *data = nullptr;
  cudaError_t error = cudaMalloc(&data, mib << 20);
  printf("hold %zu MiB: %s\n", mib, cudaGetErrorString(error));
  (void)cudaGetLastError();
  if (data) CHECK(cudaFree(data));
}

int main(int count, char **names) {
  static const struct {
    const char *name;
    void (*run)();
  } parts[] = {{"vec", vec},         {"stack", stack},     {"streams", streams},         {"events", events},
               {"graph", graph},     {"pinned", pinned},   {"registered", registered},   {"managed", managed},
               {"cooperative", cooperative}, {"symbols", symbols}, {"memory", memory},   {"many", many},
               {"threads", threads}, {"figures", figures}, {"spin", spin},
               {"endless", endless}, {"lasting", lasting},
               {"chained", chained}, {"hosted", hosted},   {"bulky", bulky}};
  for (int i = 1; i < count; i++) {
    if (!strcmp(names[i], "keep")) keep(atoi(names[++i]));
    if (!strcmp(names[i], "hold")) hold(atoi(names[++i]));
    if (!strcmp(names[i], "share")) {
      share(atof(names[i + 1]), atof(names[i + 2]));
      i += 2;
    }
    for (auto &part : parts)
      if (!strcmp(part.name, names[i])) part.run();
  }
  return 0;
}
