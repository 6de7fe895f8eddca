/* Images and samplers as kernels see them: what is read through each kind of sampler, what is written. */
#include "check.h"

#include <unistd.h>

#define WIDTH 64
#define HEIGHT 32

static const char text[] =
	"constant sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
	"kernel void look(read_only image2d_t in, sampler_t how, global float4 *out, float scale)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  out[y * get_global_size(0) + x] = read_imagef(in, how, (float2)((x - 3) * scale, (y - 3) * scale)); }\n"
	"kernel void turn(read_only image2d_t in, write_only image2d_t out)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  float4 p = read_imagef(in, own, (int2)(x, y));\n"
	"  write_imagef(out, (int2)(get_image_width(in) - 1 - x, get_image_height(in) - 1 - y), p.wzyx); }\n"
	"kernel void integers(read_only image2d_t in, global uint4 *out)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  out[y * get_global_size(0) + x] = read_imageui(in, own, (int2)(x, y)) * 3u; }\n";

static cl_mem picture(const struct setup *s, cl_channel_order order, cl_channel_type type, uint32_t seed)
{
	static unsigned char bytes[WIDTH * HEIGHT * 16];
	const cl_image_format format = { order, type };
	const cl_image_desc shape = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT };

	fill_bytes(bytes, sizeof(bytes), seed);
	if (type == CL_FLOAT)
		for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
			((float *)bytes)[i] = (float)(i % 257) / 256;
	return MAKE("picture", clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &format, &shape, bytes, &error));
}

/* PoCL 3.1 gives up a sampler that a launch under way uses; a session does not. */
static bool keeps_samplers(void)
{
	return getenv("SLUICE_API_SOCKET") || access("/dev/sluice-api0", F_OK) == 0;
}

static void look(const struct setup *s)
{
	static const struct {
		cl_bool normalized;
		cl_addressing_mode addressing;
	} kinds[] = {
		{ CL_FALSE, CL_ADDRESS_CLAMP }, { CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE }, { CL_TRUE, CL_ADDRESS_CLAMP },
		{ CL_TRUE, CL_ADDRESS_REPEAT }, { CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT },
	};
	const size_t global[2] = { WIDTH, HEIGHT };
	cl_kernel kernel = kernel_of(s, text, "look");
	cl_mem in = picture(s, CL_RGBA, CL_UNORM_INT8, 1), out = buffer_of(s, WIDTH * HEIGHT * 16, 2);

	SAY("in", clSetKernelArg(kernel, 0, sizeof(in), &in));
	SAY("out", clSetKernelArg(kernel, 2, sizeof(out), &out));
	SAY("a sampler of size 4", clSetKernelArg(kernel, 1, 4, &out));
	for (size_t i = 0; i < COUNT(kinds); i++) {
		cl_float scale = kinds[i].normalized ? 1.0f / WIDTH : 1;
		cl_sampler sampler = MAKE("sampler", clCreateSampler(s->context, kinds[i].normalized, kinds[i].addressing,
								     CL_FILTER_NEAREST, &error));

		SAY("sampler", clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
		SAY("scale", clSetKernelArg(kernel, 3, sizeof(scale), &scale));
		SAY("look", clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
		if (!keeps_samplers())
			clFinish(s->queue);
		SAY("sampler in use", clReleaseSampler(sampler));
		say_buffer("seen", s, out, WIDTH * HEIGHT * 16);
	}
	SAY("in", clReleaseMemObject(in));
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
}

static void turn(const struct setup *s, cl_channel_order order, cl_channel_type type, size_t element)
{
	const size_t global[2] = { WIDTH, HEIGHT }, origin[3] = { 0 }, region[3] = { WIDTH, HEIGHT, 1 };
	static unsigned char bytes[WIDTH * HEIGHT * 16];
	cl_kernel kernel = kernel_of(s, text, "turn");
	cl_mem in = picture(s, order, type, 3), out = picture(s, order, type, 4);

	SAY("in", clSetKernelArg(kernel, 0, sizeof(in), &in));
	SAY("out", clSetKernelArg(kernel, 1, sizeof(out), &out));
	SAY("turn", clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
	SAY("turned", clEnqueueReadImage(s->queue, out, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
	say_checksum("turned", bytes, WIDTH * HEIGHT * element);
	SAY("in", clReleaseMemObject(in));
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
}

static void integers(const struct setup *s)
{
	const size_t global[2] = { WIDTH, HEIGHT };
	cl_kernel kernel = kernel_of(s, text, "integers");
	cl_mem in = picture(s, CL_RGBA, CL_UNSIGNED_INT16, 5), out = buffer_of(s, WIDTH * HEIGHT * 16, 6);

	SAY("a buffer for an image", clSetKernelArg(kernel, 0, sizeof(in), &in));
	SAY("out", clSetKernelArg(kernel, 1, sizeof(out), &out));
	SAY("integers", clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
	say_buffer("integers", s, out, WIDTH * HEIGHT * 16);
	SAY("in", clReleaseMemObject(in));
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
}

int main(void)
{
	struct setup s = set_up();

	look(&s);
	turn(&s, CL_RGBA, CL_UNORM_INT8, 4);
	turn(&s, CL_RGBA, CL_FLOAT, 16);
	integers(&s);
	tear_down(&s);
	return 0;
}
