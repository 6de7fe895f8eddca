/*
 * A filter of a film's frames, as one that an application runs for as long as the film lasts: each frame goes to an image,
 * a kernel blurs it, another one mixes it with what is left of the frames before, which stays in the device's memory, and
 * the result is compared with the processor's. All of it is in integers, so that every make of GPU has the same result.
 *
 * usage: frames [FRAMES [SIDE [STOP]]]    the film ends earlier once there is a file STOP
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
	"kernel void blur(read_only image2d_t in, write_only image2d_t out, sampler_t s)\n"
	"{ int2 at = (int2)(get_global_id(0), get_global_id(1)); uint4 sum = (uint4)(0);\n"
	"  for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) sum += read_imageui(in, s, at + (int2)(x, y));\n"
	"  write_imageui(out, at, sum / 9u); }\n"
	"kernel void mix_in(read_only image2d_t in, sampler_t s, global uchar4 *film)\n"
	"{ int2 at = (int2)(get_global_id(0), get_global_id(1)); size_t i = at.y * get_global_size(0) + at.x;\n"
	"  film[i] = convert_uchar4((convert_uint4(film[i]) * 3u + read_imageui(in, s, at) + 2u) / 4u); }\n";

static size_t inside(size_t at, int by, size_t side)
{
	if (by < 0 && at == 0)
		return 0;
	return by > 0 && at == side - 1 ? at : at + (size_t)by;
}

/* The same on the processor. */
static void filter(const uint8_t *frame, uint8_t *film, size_t side)
{
	for (size_t y = 0; y < side; y++)
		for (size_t x = 0; x < side; x++)
			for (size_t c = 0; c < 4; c++) {
				uint32_t sum = 0;
				uint8_t *at = &film[(y * side + x) * 4 + c];

				for (int v = -1; v <= 1; v++)
					for (int u = -1; u <= 1; u++)
						sum += frame[(inside(y, v, side) * side + inside(x, u, side)) * 4 + c];
				*at = (uint8_t)((*at * 3u + sum / 9u + 2u) / 4u);
			}
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 60;
	size_t side = argc > 2 ? strtoull(argv[2], NULL, 0) : 96, bytes = side * side * 4;
	size_t origin[3] = { 0 }, region[3] = { side, side, 1 }, global[2] = { side, side };
	struct setup s = set_up();
	cl_program program = build(&s, source, "");
	cl_kernel blur = NEED(clCreateKernel(program, "blur", &error)), mix = NEED(clCreateKernel(program, "mix_in", &error));
	cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side };
	cl_mem in = NEED(clCreateImage(s.context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error));
	cl_mem blurred = NEED(clCreateImage(s.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error));
	cl_sampler edge = NEED(clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error));
	uint8_t *frame = malloc(bytes), *expected = calloc(1, bytes), *result = malloc(bytes);
	cl_mem film = NEED(clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, bytes, expected, &error));
	int shown = 0, right = 0;

	MUST(clSetKernelArg(blur, 0, sizeof(in), &in));
	MUST(clSetKernelArg(blur, 1, sizeof(blurred), &blurred));
	MUST(clSetKernelArg(blur, 2, sizeof(edge), &edge));
	MUST(clSetKernelArg(mix, 0, sizeof(blurred), &blurred));
	MUST(clSetKernelArg(mix, 1, sizeof(edge), &edge));
	MUST(clSetKernelArg(mix, 2, sizeof(film), &film));
	for (; shown < frames && (argc < 4 || access(argv[3], F_OK) != 0); shown++) {
		fill_bytes(frame, bytes, (uint32_t)shown * 7919u + 1);
		filter(frame, expected, side);
		MUST(clEnqueueWriteImage(s.queue, in, CL_FALSE, origin, region, 0, 0, frame, 0, NULL, NULL));
		MUST(clEnqueueNDRangeKernel(s.queue, blur, 2, NULL, global, NULL, 0, NULL, NULL));
		MUST(clEnqueueNDRangeKernel(s.queue, mix, 2, NULL, global, NULL, 0, NULL, NULL));
		MUST(clEnqueueReadBuffer(s.queue, film, CL_TRUE, 0, bytes, result, 0, NULL, NULL));
		right += memcmp(result, expected, bytes) == 0;
	}
	say_number("frames", shown);
	say_number("right", right);
	say_checksum("film", result, bytes);
	clReleaseMemObject(film);
	clReleaseSampler(edge);
	clReleaseMemObject(blurred);
	clReleaseMemObject(in);
	clReleaseKernel(mix);
	clReleaseKernel(blur);
	clReleaseProgram(program);
	tear_down(&s);
	free(result);
	free(expected);
	free(frame);
	return right != shown;
}
