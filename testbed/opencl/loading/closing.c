/*
 * An application that opens the driver by itself and closes it from a callback, which is on the driver's own thread, and
 * again from its main thread; then opens it once more. Its result is right each time.
 * usage: closing DRIVER
 */
#include "../programs/check.h"
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <time.h>

#define NUMBERS 256
/* A function of whichever driver made the object. */
#define OF(object, function) ((*(const cl_icd_dispatch **)(object))->function)

static void *driver;
static _Atomic bool closed;

static void CL_CALLBACK close_driver(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	(void)data;
	if (driver && dlclose(driver) == 0)
		driver = NULL;
	closed = true;
}

static void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static cl_platform_id open_driver(const char *path)
{
	clIcdGetPlatformIDsKHR_fn platforms;
	void *(*function)(const char *);
	cl_platform_id platform = NULL;

	driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!driver) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	function = (void *(*)(const char *))dlsym(driver, "clGetExtensionFunctionAddress");
	platforms = (clIcdGetPlatformIDsKHR_fn)function("clIcdGetPlatformIDsKHR");
	MUST(platforms(1, &platform, NULL));
	return platform;
}

/* A launch; CALLED, if there is one, hears that it has ended. */
static void use(cl_platform_id platform, void(CL_CALLBACK *called)(cl_event, cl_int, void *))
{
	const char *text = "kernel void fill(global uint *a) { a[get_global_id(0)] = get_global_id(0) + 1; }";
	size_t global = NUMBERS;
	cl_uint numbers[NUMBERS], i;
	bool right = true;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem memory;
	cl_event event;

	MUST(OF(platform, clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = NEED(OF(device, clCreateContext)(NULL, 1, &device, NULL, NULL, &error));
	queue = NEED(OF(context, clCreateCommandQueue)(context, device, 0, &error));
	program = NEED(OF(context, clCreateProgramWithSource)(context, 1, &text, NULL, &error));
	MUST(OF(program, clBuildProgram)(program, 0, NULL, "", NULL, NULL));
	kernel = NEED(OF(program, clCreateKernel)(program, "fill", &error));
	memory = NEED(OF(context, clCreateBuffer)(context, 0, sizeof(numbers), NULL, &error));
	MUST(OF(kernel, clSetKernelArg)(kernel, 0, sizeof(memory), &memory));
	MUST(OF(queue, clEnqueueNDRangeKernel)(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
	MUST(OF(queue, clEnqueueReadBuffer)(queue, memory, CL_TRUE, 0, sizeof(numbers), numbers, 0, NULL, NULL));
	for (i = 0; i < NUMBERS; i++)
		right &= numbers[i] == i + 1;
	say_true("right", right);
	if (called)
		MUST(OF(event, clSetEventCallback)(event, CL_COMPLETE, called, NULL));
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	use(open_driver(argv[1]), close_driver);
	while (!closed)
		pause_ms(1);
	pause_ms(500); /* the driver's thread goes on after the callback */
	say_true("closed by the callback", driver == NULL);
	use(open_driver(argv[1]), NULL);
	say_number("closed here", dlclose(driver));
	pause_ms(500);
	use(open_driver(argv[1]), NULL);
	return 0;
}
