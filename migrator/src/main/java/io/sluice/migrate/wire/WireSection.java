package io.sluice.migrate.wire;

import java.nio.ByteBuffer;

/**
 * A section as it travels (see {@link io.sluice.channel.record.SectionHeader}).
 *
 * @param id kind
 * @param version of its payload
 * @param payload from position to limit; not changed any more
 */
record WireSection(int id, int version, ByteBuffer payload) {}
