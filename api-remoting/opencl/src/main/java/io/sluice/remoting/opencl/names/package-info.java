/** The names of OpenCL's numbers, for people. */
@NullMarked
package io.sluice.remoting.opencl.names;

import org.jspecify.annotations.NullMarked;
