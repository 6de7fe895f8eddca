/*
 * Objects that live long, and are used again after a pause: counters that show how often each launch ran, maps that stay
 * open, events that gate queues for a while, images, parts of buffers, kernels whose arguments are kept. A session that
 * moves in one of the pauses must have them all.
 */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

#define SIZE 65536
#define ROUNDS 12
#define LAUNCHES 40
#define PAUSE_US 15000

static const char source[] =
	"kernel void count(global int *n) { atomic_inc(n); }\n"
	"kernel void scramble(global uint *a, uint by) { size_t i = get_global_id(0); a[i] = (a[i] * 1664525u + by) ^ (a[i] >> 7); }\n"
	"kernel void add(global const uint *a, global uint *b) { size_t i = get_global_id(0); b[i] += a[i] * 3u + 1u; }\n"
	"kernel void turn(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
	"{ int2 at = (int2)(get_global_id(0), get_global_id(1)); int2 size = get_image_dim(to);\n"
	"  write_imageui(to, at, read_imageui(from, s, (int2)(size.x - 1 - at.x, at.y)) + (uint4)(1, 2, 3, 4)); }\n";

static void launch(cl_command_queue queue, cl_kernel kernel, size_t global, cl_uint count, const cl_event *waits, cl_event *event)
{
	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, count, waits, event));
}

static int value_of(const struct setup *s, cl_mem buffer)
{
	int value = -1;

	MUST(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
	return value;
}

static cl_mem counter(const struct setup *s)
{
	int zero = 0;

	return NEED(clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(zero), &zero, &error));
}

/* Launches all the time, waited for now and then: each runs once. */
static void counts(const struct setup *s, cl_program program)
{
	cl_kernel count = NEED(clCreateKernel(program, "count", &error)), mix = NEED(clCreateKernel(program, "scramble", &error));
	cl_mem n = counter(s), a = buffer_of(s, SIZE, 3);
	cl_uint round, i;

	MUST(clSetKernelArg(count, 0, sizeof(n), &n));
	MUST(clSetKernelArg(mix, 0, sizeof(a), &a));
	for (round = 0; round < ROUNDS * 5; round++) {
		for (i = 0; i < LAUNCHES; i++) {
			cl_uint by = round * 77 + i;

			MUST(clSetKernelArg(mix, 1, sizeof(by), &by));
			launch(s->queue, mix, SIZE / 4, 0, NULL, NULL);
			launch(s->queue, count, 7, 0, NULL, NULL);
		}
		if (round % 3 == 0)
			MUST(clFinish(s->queue));
	}
	say_number("counted", value_of(s, n));
	say_buffer("mixed", s, a, SIZE);
	clReleaseKernel(count);
	clReleaseKernel(mix);
	clReleaseMemObject(n);
	clReleaseMemObject(a);
}

/* Memory of the application's that stays mapped, is written meanwhile, and then read by a kernel. */
static void maps(const struct setup *s, cl_program program, cl_mem_flags flags)
{
	static uint32_t own[SIZE / 4] __attribute__((aligned(4096)));
	cl_kernel add = NEED(clCreateKernel(program, "add", &error));
	cl_mem mapped, b = buffer_of(s, SIZE, 5);
	int round, i;

	fill_bytes(own, SIZE, 9);
	mapped = NEED(clCreateBuffer(s->context, flags, SIZE, flags & CL_MEM_USE_HOST_PTR ? own : NULL, &error));
	MUST(clSetKernelArg(add, 0, sizeof(mapped), &mapped));
	MUST(clSetKernelArg(add, 1, sizeof(b), &b));
	for (round = 0; round < ROUNDS; round++) {
		uint32_t *first = NEED(clEnqueueMapBuffer(s->queue, mapped, CL_TRUE, CL_MAP_WRITE, 0, SIZE / 2, 0, NULL, NULL, &error));
		uint32_t *second = NEED(clEnqueueMapBuffer(s->queue, mapped, CL_TRUE, CL_MAP_WRITE | CL_MAP_READ, SIZE / 2, SIZE / 2, 0, NULL, NULL, &error));

		for (i = 0; i < SIZE / 8; i++)
			first[i] = (uint32_t)(i * 31 + round);
		usleep(PAUSE_US);
		for (i = 0; i < SIZE / 8; i++)
			second[i] = first[i] ^ (uint32_t)round;
		MUST(clEnqueueUnmapMemObject(s->queue, mapped, first, 0, NULL, NULL));
		usleep(PAUSE_US / 4);
		MUST(clEnqueueUnmapMemObject(s->queue, mapped, second, 0, NULL, NULL));
		launch(s->queue, add, SIZE / 4, 0, NULL, NULL);
	}
	say_buffer("added", s, b, SIZE);
	say_buffer("mapped", s, mapped, SIZE);
	clReleaseKernel(add);
	clReleaseMemObject(mapped);
	clReleaseMemObject(b);
}

/* The same with maps that wait for an event of the application's, and ends of maps that do. */
static void gated_maps(const struct setup *s, cl_program program, cl_mem_flags flags)
{
	static uint32_t own[SIZE / 4] __attribute__((aligned(4096)));
	cl_kernel add = NEED(clCreateKernel(program, "add", &error));
	cl_mem mapped, b = buffer_of(s, SIZE, 6);
	int round, i;

	fill_bytes(own, SIZE, 10);
	mapped = NEED(clCreateBuffer(s->context, flags, SIZE, flags & CL_MEM_USE_HOST_PTR ? own : NULL, &error));
	if (!(flags & CL_MEM_USE_HOST_PTR))
		MUST(clEnqueueWriteBuffer(s->queue, mapped, CL_TRUE, 0, SIZE, own, 0, NULL, NULL));
	MUST(clSetKernelArg(add, 0, sizeof(mapped), &mapped));
	MUST(clSetKernelArg(add, 1, sizeof(b), &b));
	for (round = 0; round < ROUNDS; round++) {
		cl_event gate = NEED(clCreateUserEvent(s->context, &error)), done, unmapped;
		uint32_t *at = NEED(clEnqueueMapBuffer(s->queue, mapped, CL_FALSE, CL_MAP_WRITE | CL_MAP_READ, 0, SIZE, 1, &gate, &done, &error));

		usleep(PAUSE_US);
		MUST(clSetUserEventStatus(gate, CL_COMPLETE));
		MUST(clWaitForEvents(1, &done));
		MUST(clReleaseEvent(gate));
		MUST(clReleaseEvent(done));
		for (i = 0; i < SIZE / 4; i++)
			at[i] = at[i] * 31 + (uint32_t)(i ^ round);
		gate = NEED(clCreateUserEvent(s->context, &error));
		MUST(clEnqueueUnmapMemObject(s->queue, mapped, at, 1, &gate, &unmapped));
		launch(s->queue, add, SIZE / 4, 0, NULL, NULL);
		usleep(PAUSE_US);
		MUST(clSetUserEventStatus(gate, CL_COMPLETE));
		MUST(clWaitForEvents(1, &unmapped));
		MUST(clFinish(s->queue));
		MUST(clReleaseEvent(gate));
		MUST(clReleaseEvent(unmapped));
	}
	say_buffer("added behind gates", s, b, SIZE);
	say_buffer("mapped behind gates", s, mapped, SIZE);
	clReleaseKernel(add);
	clReleaseMemObject(mapped);
	clReleaseMemObject(b);
}

static _Atomic int called;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	if (status == CL_COMPLETE)
		called++;
}

static void *finisher(void *queue)
{
	MUST(clFinish(queue));
	return NULL;
}

/* Commands that wait for an event of the application's, some of whose objects are released before they run. */
static void gates(const struct setup *s, cl_program program, cl_command_queue_properties order)
{
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, order | CL_QUEUE_PROFILING_ENABLE, &error));
	cl_mem n = counter(s);
	int round, total = 0;
	uint64_t sum = 0;

	called = 0;
	for (round = 0; round < ROUNDS; round++) {
		static uint32_t back[SIZE / 4];
		cl_kernel count = NEED(clCreateKernel(program, "count", &error)), mix = NEED(clCreateKernel(program, "scramble", &error));
		cl_mem a = buffer_of(s, SIZE, 100 + (uint32_t)round);
		cl_event gate = NEED(clCreateUserEvent(s->context, &error)), first, second, free_one, mixed[3], read;
		pthread_t thread;
		cl_uint by;

		MUST(clSetKernelArg(count, 0, sizeof(n), &n));
		MUST(clSetKernelArg(mix, 0, sizeof(a), &a));
		launch(queue, count, 3, 0, NULL, &free_one); /* waits for nothing */
		launch(queue, count, 5, 1, &gate, &first);
		launch(queue, count, 7, 1, &first, &second);
		for (by = 0; by < 3; by++) { /* the argument of each is what it was when it was queued */
			cl_uint argument = 1000 + by;

			MUST(clSetKernelArg(mix, 1, sizeof(argument), &argument));
			launch(queue, mix, SIZE / 4, 1, by ? &mixed[by - 1] : &second, &mixed[by]);
		}
		by = 5;
		MUST(clSetKernelArg(mix, 1, sizeof(by), &by));
		MUST(clSetEventCallback(second, CL_COMPLETE, on_event, NULL));
		MUST(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, SIZE, back, 1, &mixed[2], &read));
		launch(queue, count, 11, 1, &free_one, NULL);
		clReleaseMemObject(a);
		clReleaseKernel(count);
		clReleaseKernel(mix);
		clReleaseEvent(first);
		pthread_create(&thread, NULL, finisher, queue);
		usleep(PAUSE_US);
		MUST(clSetUserEventStatus(gate, CL_COMPLETE));
		MUST(clWaitForEvents(1, &read));
		sum = sum * 31 + checksum(back, SIZE);
		pthread_join(thread, NULL);
		total += 3 + 5 + 7 + 11;
		clReleaseEvent(gate);
		clReleaseEvent(second);
		clReleaseEvent(free_one);
		clReleaseEvent(read);
		for (by = 0; by < 3; by++)
			clReleaseEvent(mixed[by]);
	}
	MUST(clFinish(queue));
	say_true("each ran once", value_of(s, n) == total);
	say_checksum("read behind gates", &sum, sizeof(sum));
	for (round = 0; called < ROUNDS && round < 5000; round++)
		usleep(1000);
	say_number("callbacks", called);
	clReleaseCommandQueue(queue);
	clReleaseMemObject(n);
}

static void images(const struct setup *s, cl_program program)
{
	cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 61, .image_height = 37 };
	cl_image_desc deep = { .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 9, .image_height = 7, .image_depth = 5 };
	static uint8_t pixels[61 * 37 * 4], voxels[9 * 7 * 5 * 4];
	size_t origin[3] = { 0 }, region[3] = { 61, 37, 1 }, all[3] = { 9, 7, 5 }, global[2] = { 61, 37 };
	cl_sampler sampler = NEED(clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error));
	cl_kernel turn = NEED(clCreateKernel(program, "turn", &error));
	cl_mem image[2], volume;
	int round;

	fill_bytes(pixels, sizeof(pixels), 17);
	fill_bytes(voxels, sizeof(voxels), 18);
	image[0] = NEED(clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &error));
	image[1] = NEED(clCreateImage(s->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error));
	volume = NEED(clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &format, &deep, voxels, &error));
	for (round = 0; round < ROUNDS; round++) {
		MUST(clSetKernelArg(turn, 0, sizeof(cl_mem), &image[round & 1]));
		MUST(clSetKernelArg(turn, 1, sizeof(cl_mem), &image[~round & 1]));
		if (round == 0)
			MUST(clSetKernelArg(turn, 2, sizeof(sampler), &sampler));
		MUST(clEnqueueNDRangeKernel(s->queue, turn, 2, NULL, global, NULL, 0, NULL, NULL));
		usleep(PAUSE_US);
	}
	MUST(clEnqueueReadImage(s->queue, image[ROUNDS & 1], CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
	MUST(clEnqueueReadImage(s->queue, volume, CL_TRUE, origin, all, 0, 0, voxels, 0, NULL, NULL));
	say_checksum("turned", pixels, sizeof(pixels));
	say_checksum("not touched", voxels, sizeof(voxels));
	clReleaseMemObject(image[0]);
	clReleaseMemObject(image[1]);
	clReleaseMemObject(volume);
	clReleaseSampler(sampler);
	clReleaseKernel(turn);
}

/* Parts of a buffer that is released first, written by kernels that keep their arguments; a copy of a kernel. */
static void parts(const struct setup *s, cl_program program)
{
	cl_mem whole = buffer_of(s, SIZE, 21), part[2];
	cl_buffer_region region[2] = { { 0, SIZE / 4 }, { SIZE / 2, SIZE / 4 } };
	cl_kernel mix[2];
	cl_uint by = 4;
	int round, i;

	for (i = 0; i < 2; i++)
		part[i] = NEED(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region[i], &error));
	mix[0] = NEED(clCreateKernel(program, "scramble", &error));
	MUST(clSetKernelArg(mix[0], 0, sizeof(part[0]), &part[0]));
	MUST(clSetKernelArg(mix[0], 1, sizeof(by), &by));
	mix[1] = NEED(clCloneKernel(mix[0], &error));
	MUST(clSetKernelArg(mix[1], 0, sizeof(part[1]), &part[1]));
	for (round = 0; round < ROUNDS; round++) {
		launch(s->queue, mix[round & 1], SIZE / 16, 0, NULL, NULL);
		usleep(PAUSE_US);
	}
	say_buffer("whole", s, whole, SIZE);
	clReleaseMemObject(whole);
	usleep(PAUSE_US);
	launch(s->queue, mix[0], SIZE / 16, 0, NULL, NULL);
	say_buffer("first", s, part[0], SIZE / 4);
	say_buffer("second", s, part[1], SIZE / 4);
	for (i = 0; i < 2; i++) {
		clReleaseMemObject(part[i]);
		clReleaseKernel(mix[i]);
	}
}

/* What was said of an event is said again, however much later. */
static void times(const struct setup *s, cl_program program)
{
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, CL_QUEUE_PROFILING_ENABLE, &error));
	cl_kernel count = NEED(clCreateKernel(program, "count", &error));
	cl_mem n = counter(s);
	cl_ulong time[4], again[4];
	cl_event event;
	bool same = true;
	int round, i;

	MUST(clSetKernelArg(count, 0, sizeof(n), &n));
	launch(queue, count, 1, 0, NULL, &event);
	MUST(clWaitForEvents(1, &event));
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 4; i++)
			MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + (cl_uint)i, sizeof(again[i]), &again[i], NULL));
		same = same && (round == 0 || memcmp(time, again, sizeof(time)) == 0);
		memcpy(time, again, sizeof(time));
		usleep(PAUSE_US);
	}
	say_true("the same times", same);
	say_true("in their order", time[0] <= time[1] && time[1] <= time[2] && time[2] <= time[3]);
	MUST(clEnqueueMarkerWithWaitList(queue, 1, &event, NULL));
	SAY("after an event of long ago", clFinish(queue));
	clReleaseEvent(event);
	clReleaseKernel(count);
	clReleaseMemObject(n);
	clReleaseCommandQueue(queue);
}

int main(void)
{
	struct setup s = set_up();
	cl_program program = build(&s, source, "");

	counts(&s, program);
	maps(&s, program, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
	maps(&s, program, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR);
	maps(&s, program, CL_MEM_READ_WRITE);
	gated_maps(&s, program, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
	gated_maps(&s, program, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR);
	gated_maps(&s, program, CL_MEM_READ_WRITE);
	gates(&s, program, 0);
	gates(&s, program, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	images(&s, program);
	parts(&s, program);
	times(&s, program);
	clReleaseProgram(program);
	tear_down(&s);
	return 0;
}
