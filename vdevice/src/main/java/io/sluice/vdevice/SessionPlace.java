package io.sluice.vdevice;

import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapPace;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The place of a guest's sessions, one after the other.
 *
 * @param name the operator's name of the guest
 * @param share memory that it may have mapped
 * @param pace at which it maps
 * @param log what is told about it
 * @param signals to its clients' eventfds; null where the kernel has none that never block
 * @param sessionThreads for the threads that wait for hosts of API sessions, and that signal what
 *     takes long
 */
record SessionPlace(
    Kernel kernel,
    String name,
    MapBudget.GuestShare share,
    MapPace pace,
    GuestLog log,
    @Nullable PromptSignals signals,
    ThreadFactory sessionThreads) {}
