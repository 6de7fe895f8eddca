/** Processes that are guests and change their daemon. */
@NullMarked
package io.sluice.testbed.machine.move.process;

import org.jspecify.annotations.NullMarked;
