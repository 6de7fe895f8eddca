/** The MMU: buffers, where their bytes are, and 40-bit address spaces over them. */
@NullMarked
package io.sluice.gpu.mmu;

import org.jspecify.annotations.NullMarked;
