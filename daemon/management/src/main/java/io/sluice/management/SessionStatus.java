package io.sluice.management;

import java.util.Map;

/** A session of an API at one moment. */
@Description("A session of an API at one moment.")
public record SessionStatus(
    @Description("name of its guest") String guest,
    @Description("its number, given once among those of the guest") long number,
    @Description("process id of its application") int pid,
    @Description("user id of its application") int uid,
    @Description("program name of its application") String command,
    @Description("opencl; empty while the application has not said") String api,
    @Description("name of the device it uses, or of several") String device,
    @Description("where it lives: default, the name of another implementation, or HOST:PORT")
        String host,
    @Description("how many objects it has, by kind") Map<String, Long> objects,
    @Description("memory of its objects") long memoryBytes,
    @Description("calls taken so far") long calls,
    @Description("time that devices have worked for it, milliseconds") long deviceMs,
    @Description("when it was opened, milliseconds since 1970") long sinceMs,
    @Description("what may keep it from moving, by name: why") Map<String, String> ties) {}
