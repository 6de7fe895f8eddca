/** The turns of guests at the devices of session hosts, by weight. */
@NullMarked
package io.sluice.daemon.turns;

import org.jspecify.annotations.NullMarked;
