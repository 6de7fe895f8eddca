package io.sluice.daemon.config;

/**
 * A key of the configuration; what it means stands in docs/configuration.md. All values are strings
 * in the file: sizes and durations need their unit, and there is nothing else yet.
 *
 * @param name within its section, kebab-case
 * @param type what it takes
 * @param fallback the default as it would be written; empty for none, or for one that depends on
 *     other keys
 * @param <T> what it is read into
 */
record Key<T>(String name, ValueType<T> type, String fallback) {}
