/** Unmodified CUDA programs over the relay. */
@NullMarked
package io.sluice.testbed.conformance.cuda;

import org.jspecify.annotations.NullMarked;
