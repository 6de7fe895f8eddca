// Works for so many microseconds, and no longer whatever the timer does, then says for whom.
extern "C" __global__ void busy(unsigned *out, unsigned value, unsigned microseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  for (unsigned i = 0; i < 100000000; i++) {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (now - start >= microseconds * 1000ull) {
      break;
    }
  }
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = value + i;
}
