package io.sluice.quota;

/**
 * A buffer that was allocated in video memory.
 *
 * @param guest whose it is
 * @param id unique among the guest's
 * @param bytes length, more than 0
 * @param mapped whether an address space maps it: the GPU may use it
 * @param evicted whether it is in system memory now
 */
public record MovableBuffer(String guest, long id, long bytes, boolean mapped, boolean evicted) {}
