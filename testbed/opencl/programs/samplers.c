/* Samplers: every kind, what they say, how they are counted. */
#include "check.h"

static void wrong(const struct setup *s)
{
	const cl_sampler_properties unknown[] = { 0x7777, 1, 0 };
	const cl_sampler_properties twice[] = { CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0 };
	const cl_sampler_properties bad[] = { CL_SAMPLER_ADDRESSING_MODE, 0x7777, 0 };

	MAKE("no context", clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
	MAKE("unknown addressing", clCreateSampler(s->context, CL_TRUE, 0x7777, CL_FILTER_NEAREST, &error));
	MAKE("unknown filter", clCreateSampler(s->context, CL_TRUE, CL_ADDRESS_CLAMP, 0x7777, &error));
	MAKE("repeat of pixels", clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &error));
	MAKE("mirror of pixels", clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, &error));
	MAKE("no context", clCreateSamplerWithProperties(NULL, NULL, &error));
	MAKE("unknown property", clCreateSamplerWithProperties(s->context, unknown, &error));
	MAKE("a property twice", clCreateSamplerWithProperties(s->context, twice, &error));
	MAKE("unknown addressing", clCreateSamplerWithProperties(s->context, bad, &error));
	SAY("NULL", clRetainSampler(NULL));
	SAY("NULL", clReleaseSampler(NULL));
}

static void information(const struct setup *s, cl_sampler sampler)
{
	cl_context context = NULL;
	cl_addressing_mode addressing = 77;
	cl_filter_mode filter = 77;
	cl_bool normalized = 77;
	cl_uint number = 77;
	size_t size = 77;

	SAY("context", clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof(context), &context, &size));
	say_true("its context", context == s->context);
	SAY("normalized", clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof(normalized), &normalized, NULL));
	say_number("normalized", normalized);
	SAY("addressing", clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(addressing), &addressing, NULL));
	say_number("addressing", addressing);
	SAY("filter", clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(filter), &filter, NULL));
	say_number("filter", filter);
	SAY("references", clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("references", number);
	size = 77;
	SAY("properties", clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
	say_number("size of the properties", (long long)size);
	SAY("unknown", clGetSamplerInfo(sampler, 0x7777, sizeof(number), &number, NULL));
	SAY("one byte too few", clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, 7, &context, NULL));
	SAY("NULL", clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, sizeof(context), &context, NULL));
}

static void ways(const struct setup *s)
{
	static const cl_addressing_mode modes[] = {
		CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT
	};
	cl_sampler sampler;

	for (size_t i = 0; i < COUNT(modes); i++) {
		const cl_sampler_properties list[] = {
			CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, CL_SAMPLER_ADDRESSING_MODE, modes[i],
			CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0
		};

		sampler = MAKE("old way", clCreateSampler(s->context, CL_TRUE, modes[i], CL_FILTER_LINEAR, &error));
		information(s, sampler);
		SAY("old way", clReleaseSampler(sampler));
		sampler = MAKE("new way", clCreateSamplerWithProperties(s->context, list, &error));
		information(s, sampler);
		SAY("once more", clRetainSampler(sampler));
		SAY("once less", clReleaseSampler(sampler));
		SAY("new way", clReleaseSampler(sampler));
	}
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	ways(&s);
	tear_down(&s);
	return 0;
}
