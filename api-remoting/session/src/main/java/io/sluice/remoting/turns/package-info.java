/** The turns of a guest at devices that it shares with others, as sessions see them. */
@NullMarked
package io.sluice.remoting.turns;

import org.jspecify.annotations.NullMarked;
