// The workloads of the papers, plainly: no shared memory, one index per thread, so that what is checked is Sluice.
// Compiled without contraction to fused multiply-add, mmul, lud and nn give the bits that a CPU gives.

// c = a * b; square matrices of n rows.
extern "C" __global__ void mmul(const float *a, const float *b, float *c, unsigned n) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n * n) {
    unsigned row = at / n, column = at % n;
    float sum = 0;
    for (unsigned k = 0; k < n; k++) {
      sum += a[row * n + k] * b[k * n + column];
    }
    c[at] = sum;
  }
}

// Step k of an LU decomposition in place: the column below the pivot ...
extern "C" __global__ void lud_column(float *a, unsigned n, unsigned k) {
  unsigned row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    a[row * n + k] /= a[k * n + k];
  }
}

// ... and what is right of it.
extern "C" __global__ void lud_rest(float *a, unsigned n, unsigned k) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned side = n - k - 1;
  if (at < side * side) {
    unsigned row = k + 1 + at / side, column = k + 1 + at % side;
    a[row * n + column] -= a[row * n + k] * a[k * n + column];
  }
}

// Distances of places from a target, for a search of the nearest.
extern "C" __global__ void nn(const float2 *places, float *distances, unsigned count, float x, float y) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float dx = places[i].x - x, dy = places[i].y - y;
    distances[i] = sqrtf(dx * dx + dy * dy);
  }
}

// A layer of a neural network: weights are inputs rows of outputs.
extern "C" __global__ void backprop_forward(const float *input, const float *weights, float *output, unsigned inputs,
                                            unsigned outputs) {
  unsigned to = blockIdx.x * blockDim.x + threadIdx.x;
  if (to < outputs) {
    float sum = 0;
    for (unsigned from = 0; from < inputs; from++) {
      sum += input[from] * weights[from * outputs + to];
    }
    output[to] = 1.0f / (1.0f + expf(-sum));
  }
}

// The weights' correction.
extern "C" __global__ void backprop_adjust(const float *input, const float *delta, float *weights, unsigned inputs,
                                           unsigned outputs, float rate) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < inputs * outputs) {
    weights[at] += rate * delta[at % outputs] * input[at / outputs];
  }
}

// 128 bits of each 4 KiB page, by one warp per page. Whoever does not know the seed cannot make two pages agree.
extern "C" __global__ void page_hash(const ulonglong2 *memory, ulonglong2 *hashes, unsigned long long seed,
                                     unsigned pages) {
  unsigned lane = threadIdx.x & 31;
  unsigned warps = gridDim.x * blockDim.x / 32;
  for (unsigned page = (blockIdx.x * blockDim.x + threadIdx.x) / 32; page < pages; page += warps) {
    unsigned long long first = seed ^ (lane * 0x9e3779b97f4a7c15ull), second = ~first;
    const ulonglong2 *at = memory + page * 256ull + lane;
    ulonglong2 values[8];
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
      values[i] = __ldcs(at + i * 32); // all on their way before the first is used
    }
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
      first = (first ^ values[i].x) * 0xff51afd7ed558ccdull;
      second = (second ^ values[i].y) * 0xc4ceb9fe1a85ec53ull;
      first ^= second >> 32;
      second ^= first >> 29;
    }
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
      first += __shfl_xor_sync(0xffffffffu, first, step) * 0x9e3779b97f4a7c15ull;
      second += __shfl_xor_sync(0xffffffffu, second, step) * 0xc2b2ae3d27d4eb4full;
    }
    if (lane == 0) {
      hashes[page] = make_ulonglong2(first, second);
    }
  }
}

// What page_hash reads, and nothing more.
extern "C" __global__ void page_read(const ulonglong2 *memory, ulonglong2 *sums, unsigned long long seed,
                                     unsigned pages) {
  unsigned lane = threadIdx.x & 31;
  unsigned warps = gridDim.x * blockDim.x / 32;
  unsigned long long first = seed, second = seed;
  for (unsigned page = (blockIdx.x * blockDim.x + threadIdx.x) / 32; page < pages; page += warps) {
    const ulonglong2 *at = memory + page * 256ull + lane;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
      ulonglong2 value = __ldcs(at + i * 32);
      first ^= value.x;
      second ^= value.y;
    }
  }
  if ((first & second) == 0x123456789abcdefull) { // so that the reads are not left out
    sums[0] = make_ulonglong2(first, second);
  }
}
