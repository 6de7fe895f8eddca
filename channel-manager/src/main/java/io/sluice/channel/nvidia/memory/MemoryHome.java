package io.sluice.channel.nvidia.memory;

import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.submit.Monitor;
import java.util.function.Consumer;

/**
 * The surroundings of an open's buffers.
 *
 * @param open whose they are
 * @param monitor its monitor
 * @param spaces its address spaces
 * @param pool where what is evicted goes
 * @param evictor moves buffers there and back
 * @param released told of each that is freed
 */
public record MemoryHome(
    RmOpen open,
    Monitor monitor,
    OpenSpaces spaces,
    HostPool pool,
    NvidiaMemory.Evictor evictor,
    Consumer<NvidiaMemory> released) {}
