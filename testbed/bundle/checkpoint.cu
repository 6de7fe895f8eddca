// checkpoint GIB: what the driver's own checkpoint and restore of a process take for so much of its GPU memory:
// the anchor of `test --figures`. The process that is checkpointed is a child, since none can do it to itself.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(CUresult result, const char *what) {
  if (result != CUDA_SUCCESS) {
    const char *text = "?";
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
  }
}

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Holds the memory until it is told to look at it, then ends.
static int child(size_t gib, int in, int out) {
  char *memory;
  size_t bytes = gib << 30;
  if (cudaMalloc(&memory, bytes) != cudaSuccess || cudaMemset(memory, 0x5a, bytes) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess) {
    return 1;
  }
  char byte = 1;
  if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1) {
    return 1;
  }
  char last = 0;
  cudaMemcpy(&last, memory + bytes - 1, 1, cudaMemcpyDeviceToHost);
  return last == 0x5a ? 0 : 1;
}

int main(int count, char **arguments) {
  size_t gib = count > 1 ? atoi(arguments[1]) : 1;
  int down[2], up[2];
  if (pipe(down) || pipe(up)) {
    return 1;
  }
  pid_t pid = fork(); // before this process has anything of CUDA
  if (pid == 0) {
    _exit(child(gib, down[0], up[1]));
  }
  close(up[1]);
  char byte;
  if (read(up[0], &byte, 1) != 1) {
    fprintf(stderr, "no such memory, GiB=%zu\n", gib);
    return 1;
  }
  check(cuInit(0), "cuInit");
  CUcheckpointLockArgs lock;
  CUcheckpointCheckpointArgs checkpoint;
  CUcheckpointRestoreArgs restore;
  CUcheckpointUnlockArgs unlock;
  memset(&lock, 0, sizeof lock);
  memset(&checkpoint, 0, sizeof checkpoint);
  memset(&restore, 0, sizeof restore);
  memset(&unlock, 0, sizeof unlock);
  double start = seconds();
  check(cuCheckpointProcessLock(pid, &lock), "lock");
  check(cuCheckpointProcessCheckpoint(pid, &checkpoint), "checkpoint");
  double middle = seconds();
  check(cuCheckpointProcessRestore(pid, &restore), "restore");
  check(cuCheckpointProcessUnlock(pid, &unlock), "unlock");
  double end = seconds();
  if (write(down[1], &byte, 1) != 1) {
    return 1;
  }
  int status = 0;
  waitpid(pid, &status, 0);
  printf("CUDA: checkpoint of %zu GiB: %.2f s, restore: %.2f s, memory right: %s\n", gib, middle - start, end - middle,
         status == 0 ? "yes" : "no");
  return 0;
}
