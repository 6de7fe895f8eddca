/** The parts of a guest's tables: ids, slots of a card, control pages, regions of memory. */
@NullMarked
package io.sluice.channel.table;

import org.jspecify.annotations.NullMarked;
