/** Kernels, how they are launched, and what they must compute. */
@NullMarked
package io.sluice.testbed.workloads;

import org.jspecify.annotations.NullMarked;
