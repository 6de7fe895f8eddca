package io.sluice.abi.pscnv;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Structs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * No machine has pscnv's header, so its structures are written out here a second time, from the
 * header of the driver that Gdev carries; those of the extensions from docs/architecture.md.
 */
final class PscnvLayoutTest {
  private static final List<String> STRUCTURES =
      List.of(
          "drm_pscnv_chan_free 4: cid@0:4",
          "drm_pscnv_chan_new 10: vid@0:4 cid@4:4 map_handle@8:8",
          "drm_pscnv_fifo_init 18: cid@0:4 pb_handle@4:4 flags@8:4 slimask@c:4 pb_start@10:8",
          "drm_pscnv_fifo_init_ib 20: cid@0:4 pb_handle@4:4 flags@8:4 slimask@c:4 ib_start@10:8"
              + " ib_order@18:4",
          "drm_pscnv_gem_info 40: handle@0:4 cookie@4:4 flags@8:4 tile_flags@c:4 size@10:8"
              + " map_handle@18:8 user@20:20",
          "drm_pscnv_getparam 10: param@0:8 value@8:8",
          "drm_pscnv_obj_eng_new 10: cid@0:4 handle@4:4 oclass@8:4 flags@c:4",
          "drm_pscnv_obj_vdma_new 20: cid@0:4 handle@4:4 oclass@8:4 flags@c:4 start@10:8 size@18:8",
          "drm_pscnv_phys_getaddr 20: vid@0:4 handle@4:4 addr@8:8 offset@10:4 phys@18:8",
          "drm_pscnv_vm_map 10: vid@0:4 handle@4:4 map_handle@8:8",
          "drm_pscnv_vm_rw 28: vid@0:4 handle@4:4 addr@8:8 size@10:4 buf_rd@18:8 buf_wr@20:8",
          "drm_pscnv_vm_rw32 18: vid@0:4 handle@4:4 addr@8:8 val@10:4",
          "drm_pscnv_vspace_map 28: vid@0:4 handle@4:4 start@8:8 end@10:8 back@18:4 flags@1c:4"
              + " offset@20:8",
          "drm_pscnv_vspace_req 4: vid@0:4",
          "drm_pscnv_vspace_unmap 10: vid@0:4 offset@8:8",
          "sluice_ext_chan_control 10: cid@0:4 op@4:4 reason@8:4 info@c:4",
          "sluice_ext_chan_new_at 18: vid@0:4 page@4:4 cid@8:4 map_handle@10:8",
          "sluice_ext_chan_param 10: cid@0:4 param@4:4 value@8:8",
          "sluice_ext_chan_query 50: cid@0:4 state@4:4 reason@8:4 info@c:4 flags@10:4 gp_get@14:4"
              + " gp_put@18:4 interrupts@1c:4 fault_address@20:8 entries@28:8 busy_ns@30:8"
              + " running_ns@38:8 instructions@40:8 interpreted@48:8",
          "sluice_ext_chan_state 3010: cid@0:4 op@4:4 size@8:4 state@10:3000",
          "sluice_ext_dirty_read 1018: handle@0:4 flags@4:4 first_page@8:8 pages@10:4"
              + " bitmap@18:1000",
          "sluice_ext_event 20: cid@0:4 kind@4:4 code@8:4 info@c:4 address@10:8 time_ns@18:8",
          "sluice_ext_event_fd 8: fd@0:4",
          "sluice_ext_event_read 808: count@0:4 records@8:800",
          "sluice_ext_extent 18: region@0:4 offset@8:8 bytes@10:8",
          "sluice_ext_file_query 68: vram_bytes@0:8 system_bytes@8:8 vram_total@10:8 vram_free@18:8"
              + " gpu_ns@20:8 wait_ns@28:8 grid_heap_bytes@30:8 grid_heap_limit@38:8"
              + " programs@40:8 program_limit@48:8 program_bytes@50:8 program_bytes_limit@58:8"
              + " interpreted@60:8",
          "sluice_ext_gem_import 18: handle@0:4 flags@4:4 cookie@8:4 size@10:8",
          "sluice_ext_gem_import_pages 1810: handle@0:4 count@4:4 offset@8:8 extents@10:1800",
          "sluice_ext_gem_new_at 50: gem@0:40 aperture_offset@40:8 pool@48:4",
          "sluice_ext_gem_pool 8: handle@0:4 pool@4:4",
          "sluice_ext_info 30: version@0:4 features@4:4 control_pages@8:4 max_extents@c:4"
              + " control_map_handle@10:8 vram_map_handle@18:8 vram_aperture_bytes@20:8"
              + " max_records@28:4",
          "sluice_ext_region_add 20: fd@0:4 flags@4:4 offset@8:8 size@10:8 region@18:4",
          "sluice_ext_region_del 8: region@0:4 channels_ended@4:4");

  @Test
  void layouts_ofEveryStructureInThePackage_areAsTheDriverHasThem() {
    assertThat(Structs.ofPackage(PscnvIoctl.class).values().stream().map(Structs::describe))
        .containsExactlyElementsOf(STRUCTURES);
  }

  @Test
  void accessors_ofFieldsSideBySide_doNotTouchEachOther() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment map = arena.allocate(PscnvVspaceMap.LAYOUT);
      PscnvVspaceMap.VID.set(map, 1);
      PscnvVspaceMap.HANDLE.setBits(map, -2);
      PscnvVspaceMap.START.set(map, 0x2000_0000L);
      PscnvVspaceMap.END.set(map, 1L << 40);
      PscnvVspaceMap.BACK.set(map, 3);
      PscnvVspaceMap.FLAGS.set(map, 4);
      PscnvVspaceMap.OFFSET.set(map, -5);
      assertThat(PscnvVspaceMap.VID.bits(map)).isEqualTo(1);
      assertThat(PscnvVspaceMap.HANDLE.bits(map)).isEqualTo(-2);
      assertThat(PscnvVspaceMap.START.get(map)).isEqualTo(0x2000_0000L);
      assertThat(PscnvVspaceMap.END.get(map)).isEqualTo(1L << 40);
      assertThat(PscnvVspaceMap.BACK.bits(map)).isEqualTo(3);
      assertThat(PscnvVspaceMap.FLAGS.bits(map)).isEqualTo(4);
      assertThat(PscnvVspaceMap.OFFSET.get(map)).isEqualTo(-5);
    }
  }

  @Test
  void eventRead_lastRecord_endsWithTheStructure() {
    assertThat(ExtEventRead.RECORDS.offsetOf(ExtEventRead.MAX_RECORDS - 1) + ExtEvent.SIZE)
        .isEqualTo(ExtEventRead.SIZE);
  }

  @Test
  void sizeOf32Bits_highBitSet_isNotNegative() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(ExtChanState.LAYOUT);
      ExtChanState.SIZE_FIELD.set(state, 0xffff_fff0L);
      assertThat(ExtChanState.SIZE_FIELD.get(state)).isEqualTo(0xffff_fff0L);
    }
  }
}
