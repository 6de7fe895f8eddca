/* How a loader finds the library's functions by name. */
#include "api.h"

struct export {
	const char *name;
	void *function;
};

static const struct export exports[] = {
	{ "clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR },
	{ "clGetPlatformInfo", (void *)clGetPlatformInfo },
	{ "clGetKernelSubGroupInfoKHR", (void *)clGetKernelSubGroupInfoKHR },
	{ "clCreateProgramWithILKHR", (void *)clCreateProgramWithIL },
};

void *clGetExtensionFunctionAddress(const char *name)
{
	size_t i;

	for (i = 0; name && i < sizeof(exports) / sizeof(exports[0]); i++)
		if (strcmp(exports[i].name, name) == 0)
			return exports[i].function;
	return NULL;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	return object_is(platform, KIND_PLATFORM) ? clGetExtensionFunctionAddress(name) : NULL;
}
