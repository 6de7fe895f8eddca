/**
 * OpenCL sessions that move, with their machine or between session hosts, or are written to files.
 */
@NullMarked
package io.sluice.testbed.machine.session.move;

import org.jspecify.annotations.NullMarked;
