/**
 * The streaming multiprocessors: a grid's run, its control and its outcome. Below it, each room
 * using only those above it in this list:
 *
 * <ul>
 *   <li>{@code isa}: instructions and their fields; {@code fault}: what ends a warp
 *   <li>{@code math}: the arithmetic; docs/numerics.md defines what it gives where the hardware's
 *       own results are not public
 *   <li>{@code warp}: grids, blocks and warps; {@code memory}: what their lanes read and write
 *   <li>{@code decode}: from words to legal instructions, and what these read and write
 *   <li>{@code interpret}: an instruction of a warp at a time
 *   <li>{@code jit}: programs as classes of the JVM, by a plan ({@code jit.plan}) and the emitters
 *       of their bytecode ({@code jit.emit})
 * </ul>
 */
@NullMarked
package io.sluice.gpu.sm;

import org.jspecify.annotations.NullMarked;
