/** The PCI function: configuration space, registers, BARs and interrupt vectors. */
@NullMarked
package io.sluice.vdevice.pci;

import org.jspecify.annotations.NullMarked;
