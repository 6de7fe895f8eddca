/*
 * A random history of calls: "histories SEED STEPS". Of one seed the calls are the same in every run, and so must be
 * what they answer.
 *
 * So nothing is left to time. A command waits for those before it that use the same bytes, unless its queue's order
 * has it do so; states are asked of what has ended or cannot have begun; contents are looked at when they are known.
 * Of wrong arguments there are those that PoCL finds, see ../differences.txt.
 */
#include "../histories/history.h"

#include <pthread.h>

#define KERNELS 8
#define SAMPLERS 3

struct kernel {
	cl_kernel o;
	int world, kind;
	int memory[2], number[2]; /* its arguments */
	bool writes[2], ready;
};

static cl_program programs[WORLDS];
static struct kernel kernels[KERNELS];
static cl_sampler samplers[WORLDS][SAMPLERS];

static const char text[] =
	"size_t place(void) { return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0); }\n"
	"kernel void advance(global uint *a, uint n, uint v) { size_t i = place(); if (i < n) a[i] = a[i] * 5 + v + (uint)i; }\n"
	"kernel void blend(global uint *a, global const uint *b, uint n) { size_t i = place(); if (i < n) a[i] = a[i] * 3 ^ b[i]; }\n"
	"kernel void turn(global uint *a, local uint *t, uint n)\n"
	"{ size_t i = get_global_id(0), l = get_local_id(0); t[l] = i < n ? a[i] : 7; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  if (i < n) a[i] = t[get_local_size(0) - 1 - l]; }\n"
	"kernel void look(global float4 *a, read_only image2d_t b, sampler_t s, uint n)\n"
	"{ size_t i = place(); if (i < n) a[i] = read_imagef(b, s, (float2)(i % 29, i / 29)); }\n"
	"kernel void paint(write_only image2d_t a, uint n)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  if (x < get_image_width(a) && y < get_image_height(a)) write_imagef(a, (int2)(x, y), (float4)(x, y, n, 255) / 255.0f); }\n";

enum { ADVANCE, BLEND, TURN, LOOK, PAINT, KINDS };
static const char *const kernel_names[KINDS] = { "advance", "blend", "turn", "look", "paint" };
static const cl_uint argument_counts[KINDS] = { 3, 3, 3, 4, 2 };

/* ---- kernels ------------------------------------------------------------------------------------ */

static void make_kernel(void)
{
	struct kernel *k = PICK(kernels, !it->o);
	int world = (int)below(WORLDS), kind = (int)below(KINDS);

	if (!k) {
		k = PICK(kernels, it->o);
		SAY(at("kernel"), clReleaseKernel(k->o));
		k->o = NULL;
		return;
	}
	*k = (struct kernel){ .world = world, .kind = kind };
	k->o = MAKE(at("kernel"), clCreateKernel(programs[world], kernel_names[kind], &error));
}

static void set_memory(struct kernel *k, int which, cl_uint index, struct memory *m, bool writes)
{
	SAY(at("memory"), clSetKernelArg(k->o, index, sizeof(m->o), &m->o));
	k->memory[which] = (int)(m - memories);
	k->number[which] = m->number;
	k->writes[which] = writes;
}

static bool suits(const struct memory *m, const struct kernel *k, int which)
{
	bool image = which == 0 ? k->kind == PAINT : k->kind == LOOK;

	if (!m->o || m->world != k->world || (m->format >= 0) != image || m->format == 2)
		return false;
	/* What a kernel writes is aligned for what it is. */
	return which == 1 ? !(m->flags & CL_MEM_WRITE_ONLY) : k->kind == PAINT || !(m->flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY));
}

static void set_arguments(void)
{
	struct kernel *k = PICK(kernels, it->o);
	struct memory *a = k ? PICK(memories, suits(it, k, 0)) : NULL, *b = k ? PICK(memories, suits(it, k, 1)) : NULL;
	bool two = k && (k->kind == BLEND || k->kind == LOOK);
	cl_uint n, v = below(1000);

	if (!a || (two && (!b || a->storage == b->storage)))
		return;
	n = (cl_uint)(a->size / (k->kind == LOOK ? 16 : 4));
	if (k->kind == BLEND && b->size / 4 < n)
		n = (cl_uint)(b->size / 4);
	set_memory(k, 0, 0, a, true);
	k->number[1] = 0;
	if (two)
		set_memory(k, 1, 1, b, false);
	if (k->kind == ADVANCE)
		SAY(at("number"), clSetKernelArg(k->o, 2, sizeof(v), &v));
	if (k->kind == TURN)
		SAY(at("local"), clSetKernelArg(k->o, 1, 64, NULL));
	if (k->kind == LOOK)
		SAY(at("sampler"), clSetKernelArg(k->o, 2, sizeof(cl_sampler), &samplers[k->world][below(SAMPLERS)]));
	SAY(at("size"), clSetKernelArg(k->o, k->kind == ADVANCE ? 1 : argument_counts[k->kind] - 1, sizeof(n), &n));
	k->ready = true;
}

/* What must not change an argument. */
static void set_wrong_arguments(void)
{
	struct kernel *k = PICK(kernels, it->o);
	cl_uint number = 5, last = k ? argument_counts[k->kind] - 1 : 0;

	if (!k)
		return;
	SAY(at("no such argument"), clSetKernelArg(k->o, last + 1 + below(3), sizeof(number), &number));
	SAY(at("too large"), clSetKernelArg(k->o, last, 8, &worlds));
	SAY(at("too small"), clSetKernelArg(k->o, last, 2, &number));
	SAY(at("no value"), clSetKernelArg(k->o, last, 4, NULL));
	SAY(at("an object of size 4"), clSetKernelArg(k->o, 0, 4, &number));
	SAY(at("no kernel"), clSetKernelArg(NULL, 0, 4, &number));
	if (k->kind == TURN)
		SAY(at("a value for local memory"), clSetKernelArg(k->o, 1, 64, &worlds));
}

/* A kernel's arguments are there, and may be used. */
static bool is_usable(const struct kernel *k)
{
	bool usable = true;

	for (int i = 0; k->ready && i < 2; i++) {
		const struct memory *m = &memories[k->memory[i]];

		if (k->number[i])
			usable &= m->o && m->number == k->number[i] && may(m, 0, m->size, k->writes[i]);
	}
	return usable;
}

static void launch(void)
{
	static const size_t sides[] = { 1, 4, 8, 16, 32, 64 };
	struct kernel *k = PICK(kernels, it->o);
	cl_uint dimensions = 1 + below(3);
	size_t global[3], offset[3], local[3];
	bool offsets = chance(40), locals = chance(60);
	struct command *c;
	struct queue *q;

	if (!k || !is_usable(k))
		return;
	for (int i = 0; i < 3; i++) {
		global[i] = sides[below(COUNT(sides) - (i ? 2 : 0))];
		offset[i] = below(8);
		local[i] = global[i] % 4 || i ? 1 : 4;
	}
	if (k->kind == TURN) {
		dimensions = 1;
		locals = true;
		global[0] = (1 + below(40)) * 16;
		local[0] = chance(50) ? 16 : 8;
	}
	if (k->kind == PAINT)
		dimensions = 2;
	q = a_queue(k->world);
	c = begin(q, "launch");
	for (int i = 0; k->ready && i < 2; i++)
		if (k->number[i])
			use(c, &memories[k->memory[i]], 0, memories[k->memory[i]].size, k->writes[i]);
	waits_are_known(c, false);
	enqueued(c, SAY(at(kernel_names[k->kind]), clEnqueueNDRangeKernel(q->o, k->o, dimensions, offsets ? offset : NULL, global,
									  locals ? local : NULL, WAITS, EVENT(c))), false);
}

/* ---- programs ----------------------------------------------------------------------------------- */

static void make_program(void)
{
	static const char *const sources[] = { "kernel void k(global int *a) { a[0] = 1; }", "kernel void k(global int *a) { a[0] = b; }",
					       "kernel void j(void) {} kernel void k(global int *a) { a[1] = X; }" };
	const char *source = sources[below(COUNT(sources))], *options = chance(50) ? "" : "-DX=3";
	cl_program program = MAKE(at("program"), clCreateProgramWithSource(worlds[below(WORLDS)], 1, &source, NULL, &error));
	cl_build_status status = 77;
	cl_kernel two[2] = { 0 };
	cl_uint count = 77;

	MAKE(at("not built"), clCreateKernel(program, "k", &error));
	SAY(at("program"), clBuildProgram(program, 0, NULL, options, NULL, NULL));
	SAY(at("program"), clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
	say_number(at("build"), status);
	if (status == CL_BUILD_SUCCESS) {
		MAKE(at("no such kernel"), clCreateKernel(program, "nobody", &error));
		SAY(at("all"), clCreateKernelsInProgram(program, 2, two, &count));
		say_number(at("kernels"), count);
		for (cl_uint i = 0; i < count; i++)
			SAY(at("kernel"), clReleaseKernel(two[i]));
	}
	SAY(at("program"), clReleaseProgram(program));
}

/* ---- queues and events -------------------------------------------------------------------------- */

static void make_queue(void)
{
	struct queue *q = &queues[WORLDS + below(QUEUES - WORLDS)];
	cl_command_queue_properties flags = below(4);
	int index = (int)(q - queues);

	open_gates(q->all);
	{
		for (int i = 0; i < COMMANDS; i++)
			if (commands[i].runs && commands[i].queue == index && !commands[i].event) {
				finish(index);
				break;
			}
		for (int i = 0; i < COMMANDS; i++)
			if (commands[i].used && commands[i].queue == index)
				commands[i].queue = QUEUES;
		SAY(at("queue"), clReleaseCommandQueue(q->o));
	}
	*q = (struct queue){ .world = chance(50), .ordered = !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) };
	q->o = MAKE(at("queue"), clCreateCommandQueue(worlds[q->world], s.device, flags, &error));
}

static void mark(void)
{
	struct queue *q = PICK(queues, it->o);
	bool barrier = chance(50);
	struct command *c = begin(q, barrier ? "barrier" : "marker");
	cl_int answer;

	if (chance(70))
		wait_for_some(c);
	c->epoch = q->epoch;
	/* PoCL 3.1 has markers wait for all, whatever they name. */
	c->gates |= q->ordered || !barrier || wait_count == 0 ? q->all : q->last;
	answer = barrier ? SAY(at("barrier"), clEnqueueBarrierWithWaitList(q->o, WAITS, EVENT(c))) :
			   SAY(at("marker"), clEnqueueMarkerWithWaitList(q->o, WAITS, EVENT(c)));
	if (barrier) {
		q->last |= c->gates;
		/* In PoCL 3.1 one with a list does not wait for the one before it, and what follows for the last alone. */
		q->has_order = wait_count == 0;
		q->epoch += q->has_order;
	}
	enqueued(c, answer, false);
}

static void wait_for_one(void)
{
	struct command *c = PICK(commands, it->runs && it->event);
	cl_event both[2];

	if (!c)
		return;
	/* What waits for no gate ends, whatever else its queue has. */
	open_gates(c->gates);
	both[0] = both[1] = c->event;
	SAY(at("event"), clWaitForEvents(1 + below(2), both));
	settle(c);
}

static void finish_one(void)
{
	finish((int)(PICK(queues, it->o) - queues));
}

static void flush_one(void)
{
	SAY(at("queue"), clFlush(PICK(queues, it->o)->o));
}

static void release_some_event(void)
{
	struct command *c = PICK(commands, it->event && it->queue < QUEUES);

	if (c && chance(30)) {
		SAY(at("event"), clRetainEvent(c->event));
		SAY(at("event"), clReleaseEvent(c->event));
	} else if (c) {
		release_event(c);
	}
}

static void make_gate(void)
{
	struct gate *g = PICK(gates, !it->pending);

	if (!g)
		return;
	if (g->o)
		SAY(at("gate"), clReleaseEvent(g->o));
	g->world = chance(50);
	g->o = MAKE(at("gate"), clCreateUserEvent(worlds[g->world], &error));
	g->pending = true;
}

static void open_some_gate(void)
{
	open_gates(1u << below(GATES));
}

/* ---- what objects say --------------------------------------------------------------------------- */

#define ASK(what, type, call) \
	({ \
		type value = 0; \
		size_t size = 77; \
		SAY(at(what), call); \
		say_number(at(what), (long long)value); \
		say_number(at(what), (long long)size); \
	})
#define INTO sizeof(value), &value, &size

static void ask_memory(void)
{
	struct memory *m = PICK(memories, it->o);

	if (!m)
		return;
	ASK("type", cl_mem_object_type, clGetMemObjectInfo(m->o, CL_MEM_TYPE, INTO));
	ASK("flags", cl_mem_flags, clGetMemObjectInfo(m->o, CL_MEM_FLAGS, INTO));
	ASK("offset", size_t, clGetMemObjectInfo(m->o, CL_MEM_OFFSET, INTO));
	if (m->format < 0)
		ASK("size", size_t, clGetMemObjectInfo(m->o, CL_MEM_SIZE, INTO));
	else
		ASK("element", size_t, clGetImageInfo(m->o, CL_IMAGE_ELEMENT_SIZE, INTO));
	SAY(at("too small"), clGetMemObjectInfo(m->o, CL_MEM_FLAGS, 4, &now, NULL));
}

static void ask_others(void)
{
	struct command *c = PICK(commands, it->used && it->event);
	struct queue *q = PICK(queues, it->o);
	struct kernel *k = PICK(kernels, it->o);

	ASK("properties", cl_command_queue_properties, clGetCommandQueueInfo(q->o, CL_QUEUE_PROPERTIES, INTO));
	if (k)
		ASK("arguments", cl_uint, clGetKernelInfo(k->o, CL_KERNEL_NUM_ARGS, INTO));
	if (!c)
		return;
	ASK("command", cl_command_type, clGetEventInfo(c->event, CL_EVENT_COMMAND_TYPE, INTO));
	if (c->gates) {
		cl_int state = 77;

		SAY(at("behind a gate"), clGetEventInfo(c->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL));
		say_true(at("has not begun"), state == CL_QUEUED || state == CL_SUBMITTED);
	}
}

/* ---- what is wrong ------------------------------------------------------------------------------ */

static void wrong(void)
{
	struct queue *q = PICK(queues, it->o);
	/* One that the application may use: of two errors either may be told. */
	struct memory *m = PICK(memories, it->o && it->format < 0 && it->world == q->world && !(it->flags & NOT_ALL_OF_HOST));
	struct memory *other = PICK(memories, it->o && it->format < 0 && it->world != q->world && !(it->flags & NOT_ALL_OF_HOST));
	struct command *c = PICK(commands, it->used && it->event && it->world != q->world);
	const cl_event null = NULL;
	char bytes[8];

	SAY(at("no queue"), clFinish(NULL));
	SAY(at("a count without a list"), clEnqueueMarkerWithWaitList(q->o, 1, NULL, NULL));
	SAY(at("a NULL event"), clEnqueueBarrierWithWaitList(q->o, 1, &null, NULL));
	SAY(at("none"), clWaitForEvents(0, NULL));
	if (c)
		SAY(at("an event of another context"), clEnqueueMarkerWithWaitList(q->o, 1, &c->event, NULL));
	if (c)
		SAY(at("no user event"), clSetUserEventStatus(c->event, CL_COMPLETE));
	if (m) {
		SAY(at("beyond the end"), clEnqueueReadBuffer(q->o, m->o, CL_TRUE, m->size, 1, bytes, 0, NULL, NULL));
		SAY(at("nowhere"), clEnqueueReadBuffer(q->o, m->o, CL_TRUE, 0, 1, NULL, 0, NULL, NULL));
		SAY(at("not mapped"), clEnqueueUnmapMemObject(q->o, m->o, bytes, 0, NULL, NULL));
		MAKE(at("of size 0"), clEnqueueMapBuffer(q->o, m->o, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &error));
	}
	if (other)
		SAY(at("of another context"), clEnqueueWriteBuffer(q->o, other->o, CL_TRUE, 0, 1, bytes, 0, NULL, NULL));
	if (m && other)
		SAY(at("to another context"), clEnqueueCopyBuffer(q->o, m->o, other->o, 0, 0, 1, 0, NULL, NULL));
	MAKE(at("of size 0"), clCreateBuffer(worlds[0], 0, 0, NULL, &error));
	MAKE(at("no memory"), clCreateBuffer(worlds[0], CL_MEM_USE_HOST_PTR, 64, NULL, &error));
}

/* ---- ends that are failures --------------------------------------------------------------------- */

#define CHAIN 6

/* Commands out of order that all wait for what fails, then memory that none of them has touched. */
static void fail(void)
{
	int world = (int)below(WORLDS);
	cl_command_queue queue = MAKE(at("queue"), clCreateCommandQueue(worlds[world], s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	cl_event events[CHAIN + 1] = { MAKE(at("gate"), clCreateUserEvent(worlds[world], &error)) };
	cl_mem memory = MAKE(at("buffer"), clCreateBuffer(worlds[world], 0, 256, NULL, &error));
	unsigned char bytes[256] = { 9, 8, 7 }, back[256];
	cl_uint count = 1;

	SAY(at("contents"), clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 256, bytes, 0, NULL, NULL));
	while (count <= 1 + below(CHAIN)) {
		cl_uint first = below(count), many = 1 + below(count - first);

		switch (below(3)) {
		case 0:
			SAY(at("write"), clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, 9, back, many, events + first, &events[count]));
			break;
		case 1:
			SAY(at("fill"), clEnqueueFillBuffer(queue, memory, "abcd", 4, 0, 64, many, events + first, &events[count]));
			break;
		default:
			SAY(at("marker"), clEnqueueMarkerWithWaitList(queue, many, events + first, &events[count]));
			break;
		}
		count++;
	}
	SAY(at("gate fails"), clSetUserEventStatus(events[0], -1 - (cl_int)below(90)));
	for (cl_uint i = 0; i < count; i++) {
		SAY(at("failed"), clWaitForEvents(1, &events[i]));
		say_event(at("failed"), events[i]);
	}
	SAY(at("all"), clWaitForEvents(count, events));
	SAY(at("contents"), clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 256, back, 0, NULL, NULL));
	say_checksum(at("untouched"), back, 256);
	for (cl_uint i = 0; i < count; i++)
		SAY(at("failed"), clReleaseEvent(events[i]));
	SAY(at("buffer"), clReleaseMemObject(memory));
	SAY(at("queue"), clReleaseCommandQueue(queue));
}

/* ---- callbacks ---------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static struct calls {
	char order[200];
	int count, wanted;
} calls[2];

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user)
{
	const uintptr_t which = (uintptr_t)user;
	struct calls *of = &calls[which & 1];

	(void)event;
	pthread_mutex_lock(&lock);
	snprintf(of->order + strlen(of->order), sizeof(of->order) - strlen(of->order), " %d(%d)", (int)(which >> 1), status);
	of->count++;
	pthread_cond_broadcast(&called);
	pthread_mutex_unlock(&lock);
}

static void set_callbacks(const cl_event *events, bool ended)
{
	static const cl_int states[] = { CL_COMPLETE, CL_RUNNING, CL_SUBMITTED };

	for (unsigned count = 1 + below(5); count > 0; count--) {
		uintptr_t which = below(2);
		cl_int state = states[below(COUNT(states))];

		/* The states of a command have times of their own; PoCL 3.1 forgets those that a user event skips. */
		if (!ended && (which == 1 ? state != CL_COMPLETE : state == CL_RUNNING))
			continue;
		SAY(at("event"), clSetEventCallback(events[which], state, on_event, (void *)(which | (uintptr_t)(calls[which].wanted++ << 1))));
	}
}

static void hear(void)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		while (calls[i].count < calls[i].wanted)
			pthread_cond_wait(&called, &lock);
		pthread_mutex_unlock(&lock);
		say_text(at(i ? "marker" : "gate"), calls[i].order);
	}
}

static void call_back(void)
{
	struct queue *q = PICK(queues, it->o);
	cl_event events[2] = { MAKE(at("gate"), clCreateUserEvent(worlds[q->world], &error)) };

	open_gates(q->all);
	memset(calls, 0, sizeof(calls));
	SAY(at("marker"), clEnqueueMarkerWithWaitList(q->o, 1, events, &events[1]));
	SAY(at("queue"), clFlush(q->o));
	set_callbacks(events, false);
	SAY(at("gate"), clSetUserEventStatus(events[0], CL_COMPLETE));
	SAY(at("both"), clWaitForEvents(2, events));
	hear();
	set_callbacks(events, true);
	hear();
	SAY(at("gate"), clReleaseEvent(events[0]));
	SAY(at("marker"), clReleaseEvent(events[1]));
}

/* ---- all ---------------------------------------------------------------------------------------- */

static const struct {
	void (*take)(void);
	unsigned weight;
} steps[] = {
	{ make_buffer, 12 }, { make_part, 6 }, { make_image, 5 }, { release_memory, 14 }, { move_buffer, 30 }, { move_rectangle, 16 },
	{ fill_buffer, 14 }, { copy_buffer, 14 }, { copy_rectangle, 12 }, { migrate, 4 }, { move_image, 14 }, { fill_image, 8 },
	{ copy_image, 10 }, { map_buffer, 16 }, { map_image, 8 }, { end_some_map, 30 }, { make_kernel, 10 }, { set_arguments, 25 },
	{ set_wrong_arguments, 3 }, { launch, 30 }, { make_program, 1 }, { make_queue, 3 }, { mark, 20 }, { wait_for_one, 12 },
	{ finish_one, 3 }, { flush_one, 4 }, { release_some_event, 20 }, { make_gate, 8 }, { open_some_gate, 8 }, { ask_memory, 4 },
	{ ask_others, 6 }, { wrong, 3 }, { fail, 1 }, { call_back, 3 }, { look_at_all, 2 },
};

static void step(void)
{
	unsigned all = 0, left;

	for (size_t i = 0; i < COUNT(steps); i++)
		all += steps[i].weight;
	left = below(all);
	for (size_t i = 0; i < COUNT(steps); i++) {
		if (left < steps[i].weight) {
			steps[i].take();
			return;
		}
		left -= steps[i].weight;
	}
}

static void begin_all(void)
{
	const char *source = text;

	s = set_up();
	for (int i = 0; i < WORLDS; i++) {
		worlds[i] = NEED(clCreateContext(NULL, 1, &s.device, NULL, NULL, &error));
		programs[i] = NEED(clCreateProgramWithSource(worlds[i], 1, &source, NULL, &error));
		MUST(clBuildProgram(programs[i], 0, NULL, "", NULL, NULL));
		for (int k = 0; k < SAMPLERS; k++)
			samplers[i][k] = NEED(clCreateSampler(worlds[i], CL_FALSE, k ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE,
							      CL_FILTER_NEAREST, &error));
	}
	for (int i = 0; i < QUEUES; i++) {
		queues[i].world = i % WORLDS;
		queues[i].ordered = i < 3;
		queues[i].o = NEED(clCreateCommandQueue(worlds[i % WORLDS], s.device,
							i < 3 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	}
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 1000;

	begin_chance(argc > 1 ? strtoull(argv[1], NULL, 0) : 1);
	begin_all();
	for (now = 1; now <= count; now++)
		step();
	end_maps();
	look_at_all();
	tear_down(&s);
	return 0;
}
