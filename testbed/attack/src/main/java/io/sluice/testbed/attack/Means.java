package io.sluice.testbed.attack;

import io.sluice.abi.sys.Kernel;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * The means of an attack.
 *
 * @param kernel this process'
 * @param socket of the guest
 * @param descriptors of every kind
 * @param random of the seed that was printed
 * @param over whether its time is over
 */
record Means(
    Kernel kernel,
    Path socket,
    Descriptors descriptors,
    RandomGenerator random,
    BooleanSupplier over) {}
