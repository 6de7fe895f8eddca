package io.sluice.remoting.generator;

/**
 * A parameter of a call.
 *
 * @param kind the kind of its objects, empty for numbers and bytes
 * @param name in camel case
 */
record Parameter(ParameterType type, String kind, String name) {}
