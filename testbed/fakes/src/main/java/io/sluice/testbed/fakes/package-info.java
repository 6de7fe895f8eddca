/** In-memory stand-ins for the seams of kernel-abi, for unit tests. */
@NullMarked
package io.sluice.testbed.fakes;

import org.jspecify.annotations.NullMarked;
