/**
 * The two sides of a move: daemons that can be held in a phase, killed and started anew, and their
 * machines.
 */
@NullMarked
package io.sluice.testbed.machine.move;

import org.jspecify.annotations.NullMarked;
