package io.sluice.management;

/** One effective setting. */
@Description("One effective setting.")
public record Setting(
    @Description("dotted, such as gpu.embedded.vram") String key,
    @Description("as it would be written in the file") String value,
    @Description("default, FILE:LINE, environment NAME or flag") String source) {}
