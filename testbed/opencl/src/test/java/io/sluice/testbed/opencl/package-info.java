/** OpenCL programs, each run natively and remoted. */
@NullMarked
package io.sluice.testbed.opencl;

import org.jspecify.annotations.NullMarked;
