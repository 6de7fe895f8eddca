/**
 * Policy of memory shares between guests: who may hold how much of a card's video memory, and which
 * buffers move when that changes. Pure functions of records; docs/quotas.md says what they decide.
 */
@NullMarked
package io.sluice.quota;

import org.jspecify.annotations.NullMarked;
