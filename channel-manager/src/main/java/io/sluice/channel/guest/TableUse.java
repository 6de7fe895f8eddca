package io.sluice.channel.guest;

/**
 * The number of entries in a guest's tables at one moment.
 *
 * @param handles of memory
 * @param buffers those included that have lost their handle
 * @param addressSpaces those included that have lost their id
 * @param mappings in all address spaces together
 * @param extents of all registered buffers together, after joining neighbours
 * @param regions of guest memory that the GPU knows
 */
public record TableUse(
    int handles, int buffers, int addressSpaces, int mappings, int extents, int regions) {
  public static final TableUse NONE = new TableUse(0, 0, 0, 0, 0, 0);
}
