package io.sluice.abi.rm.program;

import java.util.Optional;

/**
 * The commands that CUDA programs send to RM's objects. None holds a descriptor; those named after
 * a number have no header: RM passes them on to the GPU's own processor as they are. Source:
 * ctrl*.h of the open kernel modules, tag 580.142.
 */
public enum ProgramControl {
  SYSTEM_GET_BUILD_VERSION(
      0x101,
      BlockShape.of("SYSTEM_GET_BUILD_VERSION", 40).list(8, 0, 1).list(16, 0, 1).list(24, 0, 1)),
  SYSTEM_GET_P2P_CAPS(
      0x127, BlockShape.of("SYSTEM_GET_P2P_CAPS", 176).list(160, 128, 4).list(168, 128, 4)),
  SYSTEM_GET_P2P_CAPS_MATRIX(0x13a, 1352),
  SYSTEM_GET_FEATURES(0x1f0, 4),
  GPU_GET_ATTACHED_IDS(0x201, 128),
  GPU_GET_ID_INFO(0x202, 40),
  GPU_GET_ID_INFO_V2(0x205, 32),
  GPU_GET_PROBED_IDS(0x214, 384),
  GPU_ATTACH_IDS(0x215, 132),
  GPU_GET_MEMOP_ENABLE(0x27b, 4),
  GPU_GET_ACTIVE_DEVICE_IDS(0x288, 3076),
  SYNC_GPU_BOOST_GROUP_INFO(0xa04, 2244),
  CLIENT_GET_ADDR_SPACE_TYPE(0xd01, 12),
  CLIENT_SET_INHERITED_SHARE_POLICY(0xd04, 12),
  GPU_GET_PCI_INFO(0x21b, 12),
  GPU_QUERY_DRAIN_STATE(0x279, 12),
  GPU_ASYNC_ATTACH_ID(0x289, 4),
  GPU_GET_NUM_SUBDEVICES(0x0080_0280, 4),
  GPU_GET_VIRTUALIZATION_MODE(0x0080_0289, 8),
  GPU_GET_CLASSLIST_V2(0x0080_0292, 804),
  FB_GET_CAPS_V2(0x0080_1307, 3),
  HOST_GET_CAPS_V2(0x0080_1402, 3),
  FIFO_GET_CHANNELLIST(
      0x0080_170d, BlockShape.of("FIFO_GET_CHANNELLIST", 24).list(8, 0, 4).list(16, 0, 4)),
  PERF_CUDA_LIMIT_SET_CONTROL(0x0080_1909, 1),
  GPU_GET_INFO_V2(0x2080_0102, 564),
  GPU_GET_NAME_STRING(0x2080_0110, 132),
  GPU_GET_SHORT_NAME_STRING(0x2080_0111, 64),
  GPU_GET_SIMULATION_INFO(0x2080_0119, 4),
  GPU_QUERY_ECC_STATUS(0x2080_012f, 1464),
  GPU_QUERY_COMPUTE_MODE_RULES(0x2080_0131, 4),
  GPU_ACQUIRE_COMPUTE_MODE_RESERVATION(0x2080_0145, 0),
  GPU_GET_GID_INFO(0x2080_014a, 268),
  GPU_GET_ENGINES_V2(0x2080_0170, 340),
  GPU_GET_COMPUTE_POLICY_CONFIG(0x2080_0195, 260),
  GET_GPU_FABRIC_PROBE_INFO(0x2080_01a3, 56),
  GR_GET_INFO(0x2080_1201, BlockShape.of("GR_GET_INFO", 32).list(8, 0, 8)),
  GR_SET_CTXSW_PREEMPTION_MODE(0x2080_1210, 32),
  GR_GET_CTX_BUFFER_SIZE(0x2080_1218, 16),
  GR_GET_GLOBAL_SM_ORDER(0x2080_121b, 9240),
  GR_GET_CAPS_V2(0x2080_1227, 48),
  GR_GET_GPC_MASK(0x2080_122a, 24),
  GR_GET_TPC_MASK(0x2080_122b, 24),
  GR_GET_SM_ISSUE_RATE_MODIFIER(0x2080_1230, 32),
  FB_GET_INFO_V2(0x2080_1303, 1028),
  MC_GET_ARCH_INFO(0x2080_1701, 16),
  BUS_GET_PCI_INFO(0x2080_1801, 16),
  BUS_GET_PCI_BAR_INFO(0x2080_1803, 200),
  BUS_GET_INFO_V2(0x2080_1823, 420),
  BUS_GET_PCIE_SUPPORTED_GPU_ATOMICS(0x2080_182a, 112),
  BUS_GET_C2C_INFO(0x2080_182b, 28),
  PERF_BOOST(0x2080_200a, 8),
  RC_RELEASE_WATCHDOG_REQUESTS(0x2080_220c, 0),
  RC_SOFT_DISABLE_WATCHDOG(0x2080_2210, 0),
  CE_GET_ALL_CAPS(0x2080_2a0a, 136),
  NVLINK_GET_NVLINK_STATUS(0x2080_3002, 13344),
  GSP_GET_FEATURES(0x2080_3601, 72),
  GRMGR_GET_GR_FS_INFO(0x2080_3801, 1928),
  TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO(0x2080_0406, 264),
  REGISTER_VA_SPACE(0x503c_0102, 16),
  UNREGISTER_VA_SPACE(0x503c_0103, 4),
  REGISTER_VIDMEM(0x503c_0104, 32),
  UNREGISTER_VIDMEM(0x503c_0105, 4),
  DEBUG_SET_EXCEPTION_MASK(0x83de_0309, 4),
  GET_CLASS_ENGINEID(0x906f_0101, 16),
  MASTER_GET_VF_ERROR_CONT_INTR_MASK(0x90e6_0102, 8),
  GPFIFO_SCHEDULE(0xa06c_0101, 3),
  SET_TIMESLICE(0xa06c_0103, 8),
  GPFIFO_GET_WORK_SUBMIT_TOKEN(0xc36f_0108, 4),
  CONF_COMPUTE_SYSTEM_GET_CAPABILITIES(0xcb33_0101, 6),
  GSP_8159(0x2080_8159, BlockShape.ANY),
  GSP_8162(0x2080_8162, BlockShape.ANY),
  GSP_9001(0x2080_9001, BlockShape.ANY),
  GSP_9009(0x2080_9009, BlockShape.ANY),
  GSP_9038(0x2080_9038, BlockShape.ANY),
  GSP_9064(0x2080_9064, BlockShape.ANY),
  GSP_A026(0x2080_a026, BlockShape.ANY),
  GSP_A084(0x2080_a084, BlockShape.ANY),
  BINAPI_0108(0x2081_0108, BlockShape.ANY);

  private final int command;
  private final BlockShape shape;

  ProgramControl(int command, int bytes) {
    this.command = command;
    this.shape = BlockShape.of(name(), bytes);
  }

  ProgramControl(int command, BlockShape shape) {
    this.command = command;
    this.shape = shape;
  }

  /** The command number. */
  public int command() {
    return command;
  }

  /** Its block. */
  public BlockShape shape() {
    return shape;
  }

  /** The command of a number. */
  public static Optional<ProgramControl> of(int number) {
    for (ProgramControl control : values()) {
      if (control.command == number) {
        return Optional.of(control);
      }
    }
    return Optional.empty();
  }
}
