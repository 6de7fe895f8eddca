package io.sluice.daemon.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The settings by which this daemon takes part in migrations between hosts.
 *
 * @param listen where other daemons bring guests; null when they may not
 * @param certificate its certificate, PEM
 * @param key the private key of it, PEM
 * @param authority whose certificates it trusts, PEM
 * @param compress whether video memory that leaves is compressed, when the operator says nothing
 */
public record WireSettings(
    @Nullable InetSocketAddress listen,
    Path certificate,
    Path key,
    Path authority,
    boolean compress) {}
