/**
 * The calls that CUDA programs make to NVIDIA's driver: sizes, and where handles, descriptors and
 * pointers stand.
 */
@NullMarked
package io.sluice.abi.rm.program;

import org.jspecify.annotations.NullMarked;
