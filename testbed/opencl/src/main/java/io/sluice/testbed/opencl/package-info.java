/** OpenCL sessions as tests and figures need them. */
@NullMarked
package io.sluice.testbed.opencl;

import org.jspecify.annotations.NullMarked;
