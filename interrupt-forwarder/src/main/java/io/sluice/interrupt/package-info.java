/** The way of channel events to the vectors of a guest, coalesced and counted. */
@NullMarked
package io.sluice.interrupt;

import org.jspecify.annotations.NullMarked;
