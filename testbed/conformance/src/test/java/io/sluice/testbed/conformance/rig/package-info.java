/** The NVIDIA GPU of this machine: queues, kernels and guests for the tests. */
@NullMarked
package io.sluice.testbed.conformance.rig;

import org.jspecify.annotations.NullMarked;
