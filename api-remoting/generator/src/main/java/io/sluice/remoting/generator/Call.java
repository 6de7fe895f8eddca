package io.sluice.remoting.generator;

import java.util.List;

/**
 * A call of the ring.
 *
 * @param comment what the specification says beside it, or empty
 */
record Call(int number, String name, List<Parameter> parameters, String comment) {}
