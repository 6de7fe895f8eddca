/*
 * The common part of the programs: a line for each call with what it answered, so that two runs of a program, natively
 * and remoted, can be compared line by line. Nothing that differs between two right runs is printed.
 */
#ifndef CHECK_H
#define CHECK_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOT_WRITTEN 1 /* what `error` holds until a call writes it */

/* Where a call inside MAKE puts its answer. */
extern _Thread_local cl_int error;

/* A call that returns its answer: "clFinish: of NULL: CL_INVALID_COMMAND_QUEUE". */
#define SAY(what, call) say(#call, what, call)

/* A call that makes an object and writes `error`: the answer, and whether there is an object. */
#define MAKE(what, call) \
	({ \
		error = NOT_WRITTEN; \
		__auto_type made = (call); \
		say_made(#call, what, error, made != NULL); \
		made; \
	})

/* As MAKE, for what must work because the rest stands on it: the program ends with 1 if it does not. */
#define NEED(call) \
	({ \
		error = NOT_WRITTEN; \
		__auto_type made = (call); \
		need(#call, error); \
		made; \
	})

/* A call that must work because the rest stands on it. */
#define MUST(call) need(#call, call)

/* Steps over a platform's device: what most programs begin with. */
struct setup {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
};

cl_int say(const char *call, const char *what, cl_int answer);
void say_made(const char *call, const char *what, cl_int answer, bool made);
void need(const char *call, cl_int answer);
const char *error_name(cl_int value);

/* A line "what: value". */
void say_number(const char *what, long long value);
void say_text(const char *what, const char *text);
void say_true(const char *what, bool value);

uint64_t checksum(const void *bytes, size_t count);
void say_checksum(const char *what, const void *bytes, size_t count);

/* Numbers that look random and are the same in every run. */
void fill_bytes(void *bytes, size_t count, uint32_t seed);

struct setup set_up(void);
struct setup set_up_with(cl_command_queue_properties properties);
void tear_down(struct setup *s);

/* A built program of one source, and a kernel of it. */
cl_program build(const struct setup *s, const char *source, const char *options);
cl_kernel kernel_of(const struct setup *s, const char *source, const char *name);

/* A buffer of `size` bytes with the contents of fill_bytes(seed). */
cl_mem buffer_of(const struct setup *s, size_t size, uint32_t seed);
void say_buffer(const char *what, const struct setup *s, cl_mem buffer, size_t size);

/* The state of an event by name; its state is CL_COMPLETE after a wait. */
void say_event(const char *what, cl_event event);

#endif /* CHECK_H */
