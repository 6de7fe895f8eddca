package io.sluice.channel.nvidia.relay;

/**
 * The card that a guest's programs may use.
 *
 * @param gpuId RM's number of it
 * @param minor n of {@code /dev/nvidia<n>}
 * @param deviceInstance of NV01_DEVICE_0
 */
public record RelayCard(int gpuId, int minor, int deviceInstance) {}
