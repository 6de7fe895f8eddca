/** Arguments of NVIDIA's UVM driver, {@code /dev/nvidia-uvm}. Source: uvm_ioctl.h. */
@NullMarked
package io.sluice.abi.uvm;

import org.jspecify.annotations.NullMarked;
