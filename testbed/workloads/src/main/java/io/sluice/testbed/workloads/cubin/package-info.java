/** Cubins: ELF files of sm_20 kernels, as nvcc makes them and driver libraries load them. */
@NullMarked
package io.sluice.testbed.workloads.cubin;

import org.jspecify.annotations.NullMarked;
