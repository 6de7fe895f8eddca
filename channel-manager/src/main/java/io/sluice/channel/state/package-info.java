/**
 * The states, errors and limits of a guest's channels and memory: the words that its tables, its
 * records and the GPUs have in common.
 */
@NullMarked
package io.sluice.channel.state;

import org.jspecify.annotations.NullMarked;
