package io.sluice.testbed.bench.submission;

/**
 * The times that the parts of a workload's run took.
 *
 * @param setUpNs address space, channel and buffers were made
 * @param uploadNs programs and input were copied to the GPU
 * @param kernelsNs the kernels ran, with submission and waiting
 * @param readNs the results were copied back
 * @param freeNs everything was given back
 * @param cpuNs processor time of all who took part
 */
record Course(long setUpNs, long uploadNs, long kernelsNs, long readNs, long freeNs, long cpuNs) {
  /** From the first call for the GPU to the last. */
  long totalNs() {
    return mediatedNs() + submittedNs();
  }

  /** What takes calls: to the daemon for a guest, to the backend on the host. */
  long mediatedNs() {
    return setUpNs + freeNs;
  }

  /** What is submitted, and takes none. */
  long submittedNs() {
    return copiesNs() + kernelsNs;
  }

  long copiesNs() {
    return uploadNs + readNs;
  }
}
