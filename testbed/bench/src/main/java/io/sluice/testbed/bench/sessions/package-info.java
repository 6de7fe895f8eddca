/** Benches of sessions beside native OpenCL: R1 to R7, R9. */
@NullMarked
package io.sluice.testbed.bench.sessions;

import org.jspecify.annotations.NullMarked;
