/**
 * Machines that move between hosts or are written to files, and the faults they meet on their way.
 */
@NullMarked
package io.sluice.testbed.machine.move.machine;

import org.jspecify.annotations.NullMarked;
