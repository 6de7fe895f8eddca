/**
 * The wire of a migration: links over TLS 1.3, and tunnels for QEMU's own stream. The protocol is
 * docs/migration-protocol.md.
 */
@NullMarked
package io.sluice.migrate.wire;

import org.jspecify.annotations.NullMarked;
