/* Queues: their properties, what they say, flush and finish. */
#include "check.h"

static void wrong(const struct setup *s)
{
	const cl_queue_properties unknown[] = { 0x7777, 1, 0 };
	const cl_queue_properties impossible[] = { CL_QUEUE_PROPERTIES, 1 << 20, 0 };
	const cl_queue_properties size_alone[] = { CL_QUEUE_SIZE, 4096, 0 };

	MAKE("no context", clCreateCommandQueue(NULL, s->device, 0, &error));
	MAKE("no device", clCreateCommandQueue(s->context, NULL, 0, &error));
	MAKE("unknown property", clCreateCommandQueue(s->context, s->device, 1 << 20, &error));
	MAKE("no context", clCreateCommandQueueWithProperties(NULL, s->device, NULL, &error));
	MAKE("no device", clCreateCommandQueueWithProperties(s->context, NULL, NULL, &error));
	MAKE("unknown name", clCreateCommandQueueWithProperties(s->context, s->device, unknown, &error));
	MAKE("unknown bit", clCreateCommandQueueWithProperties(s->context, s->device, impossible, &error));
	MAKE("a size for a queue of the host",
	     clCreateCommandQueueWithProperties(s->context, s->device, size_alone, &error));
	SAY("NULL", clRetainCommandQueue(NULL));
	SAY("NULL", clReleaseCommandQueue(NULL));
	SAY("NULL", clFlush(NULL));
	SAY("NULL", clFinish(NULL));
	SAY("NULL", clSetDefaultDeviceCommandQueue(s->context, s->device, NULL));
	SAY("no context", clSetDefaultDeviceCommandQueue(NULL, s->device, s->queue));
}

static void information(const struct setup *s, cl_command_queue queue)
{
	cl_queue_properties list[8] = { 0 };
	cl_command_queue_properties properties = 0;
	cl_command_queue on_device = queue;
	cl_context context = NULL;
	cl_device_id device = NULL;
	cl_uint number = 77;
	size_t size = 77;

	SAY("context", clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, &size));
	say_true("its context", context == s->context);
	SAY("device", clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, &size));
	say_true("its device", device == s->device);
	SAY("references", clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(number), &number, &size));
	say_number("references", number);
	SAY("properties", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, &size));
	say_number("properties", (long long)properties);
	size = 77;
	SAY("list", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &size));
	say_checksum("list", list, size <= sizeof(list) ? size : 0);
	SAY("size", clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof(number), &number, &size));
	SAY("the device's default", clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof(on_device), &on_device, NULL));
	SAY("one byte too few", clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context) - 1, &context, NULL));
	SAY("unknown", clGetCommandQueueInfo(queue, 0x7777, sizeof(number), &number, NULL));
	SAY("of NULL", clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL));
}

static void ways(const struct setup *s)
{
	static const cl_command_queue_properties kinds[] = {
		0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
		CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
	};
	const cl_queue_properties empty[] = { 0 };
	cl_command_queue queue;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, kinds[i], 0 };

		queue = MAKE("old way", clCreateCommandQueue(s->context, s->device, kinds[i], &error));
		information(s, queue);
		SAY("old way", clReleaseCommandQueue(queue));
		queue = MAKE("new way", clCreateCommandQueueWithProperties(s->context, s->device, list, &error));
		information(s, queue);
		SAY("new way", clReleaseCommandQueue(queue));
	}
	queue = MAKE("no list", clCreateCommandQueueWithProperties(s->context, s->device, NULL, &error));
	information(s, queue);
	SAY("no list", clReleaseCommandQueue(queue));
	queue = MAKE("empty list", clCreateCommandQueueWithProperties(s->context, s->device, empty, &error));
	information(s, queue);
	SAY("empty list", clReleaseCommandQueue(queue));
}

static void use(const struct setup *s)
{
	cl_command_queue_properties old = 77;

	SAY("empty", clFlush(s->queue));
	SAY("empty", clFinish(s->queue));
	SAY("twice", clFinish(s->queue));
	SAY("once more", clRetainCommandQueue(s->queue));
	SAY("once less", clReleaseCommandQueue(s->queue));
	SAY("after it", clFinish(s->queue));
	SAY("of NULL", clSetCommandQueueProperty(NULL, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	ways(&s);
	use(&s);
	tear_down(&s);
	return 0;
}
