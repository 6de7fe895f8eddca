// Fingerprints of pages of 4 KiB: NH of UMAC (RFC 4418, section 5.2.2) with words of 64 bits, as
// io.sluice.channel.GuestGpu.fingerprint says. A warp takes a page at a time; a lane holds the words of
// the key that it needs in registers, and reads 16 bytes next to its neighbour's.
//
// Built with: nvcc -arch=sm_90 -cubin -o page_fingerprint.cubin page_fingerprint.cu

typedef unsigned long long word;

constexpr int LANES = 32;
constexpr int PAIRS = 8;  // of words, per lane and page
constexpr int PAGE_PAIRS = LANES * PAIRS;

extern "C" __global__ void page_fingerprint(const ulonglong2* pages, unsigned count, const ulonglong2* key,
                                            ulonglong2* out) {
  unsigned lane = threadIdx.x % LANES;
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  unsigned warps = gridDim.x * blockDim.x / LANES;
  ulonglong2 k[PAIRS];
#pragma unroll
  for (int i = 0; i < PAIRS; i++) {
    k[i] = key[i * LANES + lane];
  }
  for (unsigned page = warp; page < count; page += warps) {
    const ulonglong2* from = pages + (word)page * PAGE_PAIRS + lane;
    ulonglong2 m[PAIRS];
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      m[i] = __ldcs(from + i * LANES);
    }
    word low = 0;
    word high = 0;
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      word a = m[i].x + k[i].x;
      word b = m[i].y + k[i].y;
      low += a * b;
      high += __umul64hi(a, b);
    }
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
      low += __shfl_xor_sync(0xffffffff, low, step);
      high += __shfl_xor_sync(0xffffffff, high, step);
    }
    if (lane == 0) {
      out[page] = make_ulonglong2(low, high);
    }
  }
}
