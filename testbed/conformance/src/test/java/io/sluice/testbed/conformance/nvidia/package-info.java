/** What an NVIDIA GPU must do beyond that: its backend's channels, memory, time and kernels. */
@NullMarked
package io.sluice.testbed.conformance.nvidia;

import org.jspecify.annotations.NullMarked;
