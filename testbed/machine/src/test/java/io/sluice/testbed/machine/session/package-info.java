/** OpenCL sessions of processes and machines at one daemon. */
@NullMarked
package io.sluice.testbed.machine.session;

import org.jspecify.annotations.NullMarked;
