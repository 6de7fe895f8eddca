package io.sluice.management;

/**
 * One effective setting.
 *
 * @param key dotted, such as {@code gpu.embedded.vram}
 * @param value as it would be written in the file
 * @param source {@code default}, {@code FILE:LINE}, {@code environment NAME} or {@code flag}
 */
public record Setting(String key, String value, String source) {}
