/** vfio-user server, PCI config space, BARs, DMA map and hypercalls of one guest. */
@NullMarked
package io.sluice.vdevice;

import org.jspecify.annotations.NullMarked;
