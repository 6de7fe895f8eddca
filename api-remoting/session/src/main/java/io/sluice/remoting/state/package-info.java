/**
 * The state of a session as a stream, for a move between session hosts and for files; the stages of
 * a move.
 */
@NullMarked
package io.sluice.remoting.state;

import org.jspecify.annotations.NullMarked;
