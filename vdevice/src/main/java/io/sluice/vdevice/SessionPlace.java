package io.sluice.vdevice;

import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapPace;
import java.util.concurrent.ThreadFactory;

/**
 * The place of a guest's sessions, one after the other.
 *
 * @param name the operator's name of the guest
 * @param share memory that it may have mapped
 * @param pace at which it maps
 * @param log what is told about it
 * @param sessionThreads for the thread that waits for hosts of API sessions
 */
record SessionPlace(
    Kernel kernel,
    String name,
    MapBudget.GuestShare share,
    MapPace pace,
    GuestLog log,
    ThreadFactory sessionThreads) {}
