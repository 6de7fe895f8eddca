// Kernels of the guest program hopper.
// Built with: nvcc -arch=sm_90 -fmad=false -cubin -o hopper.cubin hopper.cu
// The testbed's workloads.cu has mmul too, on purpose: it is compiled anew where its tests run, while this file and
// the cubin beside it are handed out together, and are all that somebody needs who builds it again.

// c = a * b; square matrices of n rows. Without contraction to fused multiply-add, the bits that a CPU gives.
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

// In place: a launch that is lost, or runs twice, is in every word from then on.
extern "C" __global__ void step(unsigned *state, unsigned count, unsigned factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    state[i] = state[i] * factor + i;
  }
}
