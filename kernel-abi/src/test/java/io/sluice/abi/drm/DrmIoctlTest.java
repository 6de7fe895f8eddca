package io.sluice.abi.drm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Structs;
import org.junit.jupiter.api.Test;

final class DrmIoctlTest {
  @Test
  void requests_ofTheDrmCore_areAsItsHeaderSays() {
    assertThat(DrmIoctl.VERSION).isEqualTo(0xC0406400);
    assertThat(DrmIoctl.GEM_CLOSE).isEqualTo(0x40086409);
    assertThat(DrmIoctl.GEM_FLINK).isEqualTo(0xC008640A);
    assertThat(DrmIoctl.GEM_OPEN).isEqualTo(0xC010640B);
  }

  @Test
  void layouts_ofTheDrmCore_areAsItsHeaderSays() {
    assertThat(Structs.ofPackage(DrmIoctl.class).values().stream().map(Structs::describe))
        .containsExactly(
            "drm_gem_close 8: handle@0:4",
            "drm_gem_flink 8: handle@0:4 name@4:4",
            "drm_gem_open 10: name@0:4 handle@4:4 size@8:8",
            "drm_version 40: version_major@0:4 version_minor@4:4 version_patchlevel@8:4"
                + " name_len@10:8 name@18:8 date_len@20:8 date@28:8 desc_len@30:8 desc@38:8");
  }

  @Test
  void parts_ofARequest_readBack() {
    int request = DrmIoctl.request(DrmIoctl.READ, 0x5a, DrmDevice.MAX_ARGUMENT_BYTES);
    assertThat(DrmIoctl.direction(request)).isEqualTo(DrmIoctl.READ);
    assertThat(DrmIoctl.type(request)).isEqualTo('d');
    assertThat(DrmIoctl.number(request)).isEqualTo(0x5a);
    assertThat(DrmIoctl.size(request)).isEqualTo(DrmDevice.MAX_ARGUMENT_BYTES);
  }

  @Test
  void request_argumentTooLarge_throws() {
    assertThatThrownBy(() -> DrmIoctl.request(0, 0, DrmDevice.MAX_ARGUMENT_BYTES + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
