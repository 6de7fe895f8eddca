package io.sluice.channel.nvidia.relay.card;

import java.util.UUID;

/**
 * The card that a guest's programs may use.
 *
 * @param name the operator's
 * @param gpuId RM's number of it
 * @param minor n of {@code /dev/nvidia<n>}
 * @param deviceInstance of NV01_DEVICE_0
 * @param uuid by which UVM knows it
 */
public record RelayCard(String name, int gpuId, int minor, int deviceInstance, UUID uuid) {}
