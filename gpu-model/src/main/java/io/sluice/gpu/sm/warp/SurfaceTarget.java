package io.sluice.gpu.sm.warp;

/**
 * A surface slot, as the methods of class 90c0 have set it; nothing in it has been checked.
 *
 * @param address GPU address (SET_SU_LD_ST_TARGET_A, _B)
 * @param width in elements, or in bytes if it is linear (_C)
 * @param height lines, and the layout (_D)
 * @param format the format of an element (_FORMAT); 0 for a slot that is not bound
 * @param block the block's dimensions (_BLOCK_SIZE)
 */
public record SurfaceTarget(long address, long width, int height, int format, int block) {}
