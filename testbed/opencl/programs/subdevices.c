/* Sub-devices: how a device is divided, what its parts say, and work on one. */
#include "check.h"

static void wrong(cl_device_id device)
{
	const cl_device_partition_property one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
	const cl_device_partition_property too_large[] = { CL_DEVICE_PARTITION_EQUALLY, 1 << 20, 0 };
	const cl_device_partition_property unknown[] = { 0x4321, 1, 0 };
	const cl_device_partition_property too_many[] = { CL_DEVICE_PARTITION_BY_COUNTS, 1 << 20, 0, 0 };
	const cl_device_partition_property affinity[] = {
		CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0
	};
	cl_device_id parts[1];
	cl_uint count = 77;

	SAY("of NULL", clCreateSubDevices(NULL, one, 1, parts, &count));
	SAY("no properties", clCreateSubDevices(device, NULL, 1, parts, &count));
	SAY("unknown", clCreateSubDevices(device, unknown, 1, parts, &count));
	SAY("parts larger than it", clCreateSubDevices(device, too_large, 1, parts, &count));
	SAY("a part larger than it", clCreateSubDevices(device, too_many, 1, parts, &count));
	SAY("by affinity", clCreateSubDevices(device, affinity, 1, parts, &count));
	SAY("neither list nor count", clCreateSubDevices(device, one, 0, NULL, NULL));
}

static void parts(cl_device_id device)
{
	const cl_device_partition_property equally[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
	cl_device_partition_property kind[4] = { 0 };
	cl_device_id part[64], parent = NULL;
	cl_uint count = 77, units = 77, references = 77;
	size_t size;

	SAY("how many", clCreateSubDevices(device, equally, 0, NULL, &count));
	say_number("parts", count);
	if (SAY("equally", clCreateSubDevices(device, equally, COUNT(part), part, &count)) != CL_SUCCESS)
		return;
	SAY("parent", clGetDeviceInfo(part[0], CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
	say_true("parent is the device", parent == device);
	SAY("units", clGetDeviceInfo(part[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	say_number("units", units);
	SAY("kind", clGetDeviceInfo(part[0], CL_DEVICE_PARTITION_TYPE, sizeof(kind), kind, &size));
	say_checksum("kind", kind, size);
	SAY("once more", clRetainDevice(part[0]));
	SAY("references", clGetDeviceInfo(part[0], CL_DEVICE_REFERENCE_COUNT, sizeof(references), &references, NULL));
	say_number("references", references);
	SAY("once less", clReleaseDevice(part[0]));
	SAY("divided further than it goes", clCreateSubDevices(part[0], equally, 0, NULL, &count));
	for (cl_uint i = 0; i < count && i < COUNT(part); i++)
		SAY("a part", clReleaseDevice(part[i]));
}

static void work(cl_device_id device)
{
	const cl_device_partition_property counts[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0
	};
	cl_device_id part;
	struct setup s = { .device = device };
	cl_kernel kernel;
	size_t global = 64;
	cl_mem buffer;

	if (SAY("by counts", clCreateSubDevices(device, counts, 1, &part, NULL)) != CL_SUCCESS)
		return;
	s.device = part;
	s.context = MAKE("of a part", clCreateContext(NULL, 1, &part, NULL, NULL, &error));
	s.queue = MAKE("of a part", clCreateCommandQueue(s.context, part, 0, &error));
	kernel = kernel_of(&s, "kernel void k(global uint *a) { a[get_global_id(0)] *= 3; }", "k");
	buffer = buffer_of(&s, global * 4, 1);
	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	SAY("on a part", clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	say_buffer("result", &s, buffer, global * 4);
	SAY("end", clReleaseMemObject(buffer));
	SAY("end", clReleaseKernel(kernel));
	tear_down(&s);
	SAY("after its context", clReleaseDevice(part));
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;

	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	wrong(device);
	parts(device);
	work(device);
	return 0;
}
