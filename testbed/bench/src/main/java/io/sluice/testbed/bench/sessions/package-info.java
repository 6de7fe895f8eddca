/** What remoting costs: programs of OpenCL natively and in sessions. */
@NullMarked
package io.sluice.testbed.bench.sessions;

import org.jspecify.annotations.NullMarked;
