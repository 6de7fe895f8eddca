/**
 * Tests of an NVIDIA GPU beyond those of every backend: its backend's channels, memory, time and
 * kernels.
 */
@NullMarked
package io.sluice.testbed.conformance.nvidia;

import org.jspecify.annotations.NullMarked;
