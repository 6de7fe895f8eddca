/** The guest's memory as its client maps it: the map table, its budget, the log of writes. */
@NullMarked
package io.sluice.vdevice.dma;

import org.jspecify.annotations.NullMarked;
