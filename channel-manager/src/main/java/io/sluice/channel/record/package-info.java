/**
 * Versioned records of a guest's state, in the one section format of wire, checkpoint and journal.
 */
@NullMarked
package io.sluice.channel.record;

import org.jspecify.annotations.NullMarked;
