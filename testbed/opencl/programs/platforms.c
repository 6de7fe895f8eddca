/* Platforms: their list, their information, their extension functions. */
#include "check.h"

static void lists(void)
{
	cl_platform_id platform = NULL;
	cl_uint count = 77;

	SAY("nothing asked for", clGetPlatformIDs(0, NULL, NULL));
	SAY("no entries for a list", clGetPlatformIDs(0, &platform, NULL));
	SAY("the count", clGetPlatformIDs(0, NULL, &count));
	say_number("platforms", count);
	SAY("one", clGetPlatformIDs(1, &platform, &count));
	say_true("a platform", platform != NULL);
}

static void texts(cl_platform_id platform)
{
	static const struct {
		cl_platform_info param;
		const char *name;
	} params[] = {
		{ CL_PLATFORM_PROFILE, "profile" },
		{ CL_PLATFORM_VERSION, "platform version" },
		{ CL_PLATFORM_NAME, "platform name" },
		{ CL_PLATFORM_VENDOR, "platform vendor" },
		{ CL_PLATFORM_EXTENSIONS, "platform extensions" },
		{ 0x0920 /* CL_PLATFORM_ICD_SUFFIX_KHR */, "platform suffix" },
	};
	char text[4096];
	size_t size;

	for (size_t i = 0; i < COUNT(params); i++) {
		size = 0;
		SAY(params[i].name, clGetPlatformInfo(platform, params[i].param, sizeof(text), text, &size));
		say_text(params[i].name, text);
		say_true("size is the text's and its end", size == strlen(text) + 1);
		SAY("one byte too few", clGetPlatformInfo(platform, params[i].param, size - 1, text, NULL));
		SAY("size alone", clGetPlatformInfo(platform, params[i].param, 0, NULL, &size));
		say_true("the same size", size == strlen(text) + 1);
	}
}

static void numbers(cl_platform_id platform)
{
	cl_ulong resolution = 77;
	cl_version version = 0;
	size_t size;

	SAY("host timer", clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof(resolution), &resolution, NULL));
	say_number("host timer resolution", (long long)resolution);
	SAY("numeric version",
	    clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof(version), &version, &size));
	say_number("major", CL_VERSION_MAJOR(version));
	say_number("minor", CL_VERSION_MINOR(version));
	SAY("nothing asked for", clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, NULL));
	SAY("unknown", clGetPlatformInfo(platform, 0x1234, 0, NULL, &size));
	SAY("of a device", clGetPlatformInfo(platform, CL_DEVICE_NAME, 0, NULL, &size));
}

static void functions(cl_platform_id platform)
{
	say_true("clGetExtensionFunctionAddressForPlatform: unknown",
		 clGetExtensionFunctionAddressForPlatform(platform, "clNobodyKnowsThis") != NULL);
	say_true("clGetExtensionFunctionAddress: unknown", clGetExtensionFunctionAddress("clNobodyKnowsThis") != NULL);
	say_true("clGetExtensionFunctionAddressForPlatform: core function",
		 clGetExtensionFunctionAddressForPlatform(platform, "clCreateKernel") != NULL);
}

int main(void)
{
	cl_platform_id platform;

	lists();
	MUST(clGetPlatformIDs(1, &platform, NULL));
	texts(platform);
	numbers(platform);
	functions(platform);
	SAY("of the platform", clUnloadPlatformCompiler(platform));
	SAY("of all", clUnloadCompiler());
	return 0;
}
