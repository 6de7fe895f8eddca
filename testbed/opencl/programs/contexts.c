/* Contexts: what they are made of, what they say, who is told when they go. */
#include "check.h"

static void CL_CALLBACK on_trouble(const char *text, const void *info, size_t size, void *user)
{
	(void)text, (void)info, (void)size, (void)user;
}

static void wrong(cl_platform_id platform, cl_device_id device)
{
	const cl_context_properties twice[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
						CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0 };
	const cl_context_properties unknown[] = { 0x7777, 1, 0 };
	const cl_context_properties nowhere[] = { CL_CONTEXT_PLATFORM, 0, 0 };
	cl_device_id devices[2] = { device, NULL };
	int user;

	MAKE("no devices", clCreateContext(NULL, 0, NULL, NULL, NULL, &error));
	MAKE("a count without a list", clCreateContext(NULL, 1, NULL, NULL, NULL, &error));
	MAKE("a list without a count", clCreateContext(NULL, 0, &device, NULL, NULL, &error));
	MAKE("a NULL device", clCreateContext(NULL, 2, devices, NULL, NULL, &error));
	MAKE("data for no callback", clCreateContext(NULL, 1, &device, NULL, &user, &error));
	MAKE("unknown property", clCreateContext(unknown, 1, &device, NULL, NULL, &error));
	MAKE("no platform in the property", clCreateContext(nowhere, 1, &device, NULL, NULL, &error));
	(void)twice;
	MAKE("no type", clCreateContextFromType(NULL, 0, NULL, NULL, &error));
	MAKE("a type nobody is of", clCreateContextFromType(NULL, CL_DEVICE_TYPE_ACCELERATOR, NULL, NULL, &error));
	MAKE("data for no callback", clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, &user, &error));
}

static void information(cl_context context, cl_device_id device, cl_platform_id platform)
{
	cl_context_properties properties[8] = { 0 };
	cl_device_id of = NULL;
	cl_uint number = 77;
	size_t size = 77;

	SAY("references", clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(number), &number, &size));
	say_number("references", number);
	say_number("their size", (long long)size);
	SAY("count of devices", clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(number), &number, NULL));
	say_number("devices", number);
	SAY("devices", clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(of), &of, &size));
	say_true("the device that was given", of == device);
	say_number("size of the list", (long long)size);
	SAY("properties", clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof(properties), properties, &size));
	say_number("size of the properties", (long long)size);
	if (size == 24)
		say_true("platform of the properties", properties[1] == (cl_context_properties)platform);
	SAY("one byte too few", clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(of) - 1, &of, NULL));
	SAY("unknown", clGetContextInfo(context, 0x7777, sizeof(number), &number, NULL));
	SAY("nothing asked for", clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, NULL));
	SAY("of NULL", clGetContextInfo(NULL, CL_CONTEXT_DEVICES, sizeof(of), &of, NULL));
}

static void ways(cl_platform_id platform, cl_device_id device)
{
	const cl_context_properties with[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0 };
	cl_device_id same[2] = { device, device };
	cl_context context;

	context = MAKE("of one device", clCreateContext(NULL, 1, &device, NULL, NULL, &error));
	information(context, device, platform);
	SAY("of one device", clReleaseContext(context));
	context = MAKE("with its platform", clCreateContext(with, 1, &device, on_trouble, NULL, &error));
	information(context, device, platform);
	SAY("with its platform", clReleaseContext(context));
	context = MAKE("of the same device twice", clCreateContext(with, 2, same, NULL, NULL, &error));
	information(context, device, platform);
	SAY("of the same device twice", clReleaseContext(context));
	context = MAKE("of a type", clCreateContextFromType(with, CL_DEVICE_TYPE_ALL, NULL, NULL, &error));
	information(context, device, platform);
	SAY("of a type", clReleaseContext(context));
	context = MAKE("no place for the answer", (error = CL_SUCCESS, clCreateContext(NULL, 1, &device, NULL, NULL, NULL)));
	SAY("no place for the answer", clReleaseContext(context));
}

static void references(cl_device_id device)
{
	cl_context context = MAKE("counted", clCreateContext(NULL, 1, &device, NULL, NULL, &error));
	cl_command_queue queue;
	cl_uint number = 77;

	SAY("once more", clRetainContext(context));
	SAY("references", clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("references", number);
	SAY("once less", clReleaseContext(context));
	queue = MAKE("holds its context", clCreateCommandQueue(context, device, 0, &error));
	SAY("its queue is left", clReleaseContext(context));
	SAY("of the queue", clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL));
	SAY("count of devices", clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(number), &number, NULL));
	SAY("the last", clReleaseCommandQueue(queue));
	SAY("NULL", clRetainContext(NULL));
	SAY("NULL", clReleaseContext(NULL));
}

static void CL_CALLBACK gone(cl_context context, void *which)
{
	(void)context;
	say_text("gone", which);
}

static void destructors(cl_device_id device)
{
	cl_context context = MAKE("with destructors", clCreateContext(NULL, 1, &device, NULL, NULL, &error));

	SAY("of NULL", clSetContextDestructorCallback(NULL, gone, NULL));
	SAY("no function", clSetContextDestructorCallback(context, NULL, NULL));
	SAY("first", clSetContextDestructorCallback(context, gone, "first"));
	SAY("second", clSetContextDestructorCallback(context, gone, "second"));
	SAY("destructors run, the last set first", clReleaseContext(context));
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;

	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	wrong(platform, device);
	ways(platform, device);
	references(device);
	destructors(device);
	return 0;
}
