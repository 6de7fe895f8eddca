package io.sluice.abi.sys;

/**
 * The limits of a process, and the memory of its host.
 *
 * @param openFiles descriptors of the process ({@code RLIMIT_NOFILE})
 * @param mappings mappings of the process ({@code vm.max_map_count})
 * @param memoryBytes memory of the host ({@code MemTotal})
 */
public record HostLimits(long openFiles, long mappings, long memoryBytes) {}
