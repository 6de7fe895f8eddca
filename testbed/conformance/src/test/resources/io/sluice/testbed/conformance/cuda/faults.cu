// What CUDA tells of kernels that fail, one a run: illegal, far, host, assert, trap, misaligned, overflow, config; and what
// is seldom used: print, heap, recursion, reset. Each prints the errors of the calls that follow.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void write_to(int *at) { *at = 1; }
__global__ void asserts(int x) { assert(x == 7); }
__global__ void traps() { asm("trap;"); }
__global__ void misaligned(char *at) { *(int *)(at + 1) = 1; }
__global__ void prints() { printf("thread %d of block %d\n", threadIdx.x, blockIdx.x); }
__global__ void count(int *into) { atomicAdd(into, 1); }

__global__ void take(int **out) {
  int *made = (int *)malloc(64);
  made[3] = threadIdx.x;
  out[threadIdx.x] = made;
}

__global__ void give_back(int **in, int *sum) {
  atomicAdd(sum, in[threadIdx.x][3]);
  free(in[threadIdx.x]);
}

__device__ int deeper(int n, volatile int *zero) {
  volatile int frame[64];
  frame[n & 63] = n;
  return n <= 0 ? 0 : frame[n & 63] + deeper(n - 1, zero) + *zero;
}

__global__ void recurse(int n, int *out, volatile int *zero) { *out = deeper(n, zero); }

static void say(const char *what, cudaError_t error) { printf("%s: %s\n", what, cudaGetErrorString(error)); }

int main(int, char **arguments) {
  const char *fault = arguments[1];
  auto is = [&](const char *name) { return !strcmp(fault, name); };
  int *data;
  say("first", cudaMalloc(&data, 1024));
  cudaMemset(data, 0, 1024);
  if (is("illegal")) write_to<<<1, 1>>>((int *)0x10);
  if (is("far")) write_to<<<1, 1>>>(data + (1l << 34));
  if (is("host")) write_to<<<1, 1>>>((int *)malloc(64));
  if (is("assert")) asserts<<<1, 1>>>(6);
  if (is("trap")) traps<<<1, 1>>>();
  if (is("misaligned")) misaligned<<<1, 1>>>((char *)data);
  if (is("overflow")) recurse<<<1, 1>>>(100000000, data, data + 1);
  if (is("config")) traps<<<1, 5000>>>();
  if (is("print")) prints<<<2, 3>>>();
  if (is("heap")) {
    int **made;
    cudaMalloc(&made, 64 * sizeof(*made));
    take<<<1, 64>>>(made);
    give_back<<<1, 64>>>(made, data);
  }
  if (is("recursion")) {
    cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10);
    recurse<<<1, 1>>>(100, data, data + 1);
  }
  if (is("reset")) {
    say("reset", cudaDeviceReset());
    cudaMalloc(&data, 1024);
    cudaMemset(data, 0, 4);
    count<<<1, 9>>>(data);
  }
  say("launch", cudaGetLastError());
  say("wait", cudaDeviceSynchronize());
  int word = -1;
  say("copy", cudaMemcpy(&word, data, sizeof(word), cudaMemcpyDeviceToHost));
  printf("word: %d\n", word);
  say("allocation", cudaMalloc(&data, 16));
}
