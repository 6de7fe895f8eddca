package io.sluice.abi.uvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Structs;
import org.junit.jupiter.api.Test;

/** UVM's arguments as a C compiler lays them out, of the open kernel modules' tag 580.142. */
final class UvmLayoutTest {
  @Test
  void layouts_areAsTheDriverHasThem() {
    assertThat(Structs.ofPackage(UvmRange.class).values().stream().map(Structs::describe))
        .containsExactly(
            "UVM_ALLOC_SEMAPHORE_POOL_PARAMS 2420: base@0:8 length@8:8 perGpuAttributes@10:2400"
                + " gpuAttributesCount@2410:8 rmStatus@2418:4",
            "UVM_CREATE_EXTERNAL_RANGE_PARAMS 18: base@0:8 length@8:8 rmStatus@10:4",
            "UVM_MAP_EXTERNAL_ALLOCATION_PARAMS 2430: base@0:8 length@8:8 offset@10:8"
                + " perGpuAttributes@18:2400 gpuAttributesCount@2418:8 rmCtrlFd@2420:4"
                + " hClient@2424:4 hMemory@2428:4 rmStatus@242c:4",
            "UVM_MIGRATE_PARAMS 50: base@0:8 length@8:8 destinationUuid@10:10 flags@20:4"
                + " semaphoreAddress@28:8 semaphorePayload@30:4 cpuNumaNode@34:4"
                + " userSpaceStart@38:8 userSpaceLength@40:8 rmStatus@48:4",
            "UVM_UNMAP_EXTERNAL_PARAMS 28: base@0:8 length@8:8 gpuUuid@10:10 rmStatus@20:4");
  }
}
