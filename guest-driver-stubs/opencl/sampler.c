/* Samplers. */
#include "api.h"

#include <stdlib.h>

static void sampler_destroy(struct object *o)
{
	cl_sampler sampler = (cl_sampler)o;

	object_drop(sampler->context);
	free(sampler->properties);
}

static bool any_images(cl_context context)
{
	uint32_t i;

	for (i = 0; i < context->device_count; i++)
		if (device_number(context->devices[i], CL_DEVICE_IMAGE_SUPPORT))
			return true;
	return false;
}

static cl_int sampler_check(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
			    cl_filter_mode filter)
{
	bool repeats = addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT;

	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if ((normalized != CL_TRUE && normalized != CL_FALSE) || addressing < CL_ADDRESS_NONE ||
	    addressing > CL_ADDRESS_MIRRORED_REPEAT || (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) ||
	    (repeats && !normalized))
		return CL_INVALID_VALUE;
	return any_images(context) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
			   cl_filter_mode filter, cl_int *error)
{
	struct call_create_sampler call = { .context = index_of(context), .normalized = normalized,
					    .addressing = addressing, .filter = filter };
	struct answer answer = { 0 };
	cl_sampler sampler = NULL;
	cl_int status = sampler_check(context, normalized, addressing, filter);

	if (status == CL_SUCCESS) {
		sampler = object_new(session_of(context), KIND_SAMPLER, sizeof(*sampler), sampler_destroy);
		status = CL_OUT_OF_HOST_MEMORY;
	}
	if (sampler) {
		call.sampler = sampler->o.index;
		status = call_create_sampler(session_of(context), &call, &answer);
		if (status == CL_SUCCESS) {
			sampler->context = context;
			sampler->normalized = normalized;
			sampler->addressing = addressing;
			sampler->filter = filter;
			object_hold(context);
		} else {
			object_discard(sampler);
			sampler = NULL;
		}
	}
	tell(error, status);
	return sampler;
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
					 cl_int *error)
{
	const cl_sampler_properties *p;
	cl_bool normalized = CL_TRUE;
	cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
	cl_filter_mode filter = CL_FILTER_NEAREST;
	uint32_t seen = 0;
	cl_sampler sampler;

	for (p = properties; p && p[0]; p += 2) {
		uint32_t bit = p[0] == CL_SAMPLER_NORMALIZED_COORDS ? 1 :
			       p[0] == CL_SAMPLER_ADDRESSING_MODE  ? 2 :
			       p[0] == CL_SAMPLER_FILTER_MODE	   ? 4 :
								     0;

		if (bit == 0 || seen & bit) {
			tell(error, object_is(context, KIND_CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT);
			return NULL;
		}
		seen |= bit;
		if (bit == 1)
			normalized = (cl_bool)p[1];
		else if (bit == 2)
			addressing = (cl_addressing_mode)p[1];
		else
			filter = (cl_filter_mode)p[1];
	}
	sampler = clCreateSampler(context, normalized, addressing, filter, error);
	if (sampler)
		sampler->properties = list_copy(properties, sizeof(*properties), &sampler->property_bytes);
	return sampler;
}

cl_int clRetainSampler(cl_sampler sampler)
{
	if (!object_is(sampler, KIND_SAMPLER))
		return CL_INVALID_SAMPLER;
	object_retain(sampler);
	return CL_SUCCESS;
}

cl_int clReleaseSampler(cl_sampler sampler)
{
	if (!object_is(sampler, KIND_SAMPLER))
		return CL_INVALID_SAMPLER;
	object_release(sampler);
	return CL_SUCCESS;
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param, size_t size, void *value, size_t *size_ret)
{
	if (!object_is(sampler, KIND_SAMPLER))
		return CL_INVALID_SAMPLER;
	switch (param) {
	case CL_SAMPLER_REFERENCE_COUNT:
		INFO(cl_uint, object_references(sampler));
	case CL_SAMPLER_CONTEXT:
		INFO(cl_context, sampler->context);
	case CL_SAMPLER_NORMALIZED_COORDS:
		INFO(cl_bool, sampler->normalized);
	case CL_SAMPLER_ADDRESSING_MODE:
		INFO(cl_addressing_mode, sampler->addressing);
	case CL_SAMPLER_FILTER_MODE:
		INFO(cl_filter_mode, sampler->filter);
	case CL_SAMPLER_PROPERTIES:
		return info_bytes(sampler->properties, sampler->property_bytes, size, value, size_ret);
	default:
		return CL_INVALID_VALUE;
	}
}
