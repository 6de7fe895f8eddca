/*
 * Tries textures and surfaces of modules on a device:
 *
 *	texture_check DEVICE FILE
 *
 * FILE is a cubin with the textures "texels" and "picture", the surfaces "from" and "to", and kernels
 * that use them, each thread t of one block of 64:
 *
 *	fetch(out)		out[t] is the four components of texel t - 1 of "texels"
 *	sample(at, out)		out[t] is the four components of "picture" at the place at[t]
 *	layers(at, out)		the same of a picture with layers, at layer t & 3
 *	called(at, out)		the same as sample, but a function that it calls reads the picture
 *	move()			a block for each line: word t of the line goes from "from" to "to"
 *
 * Prints a line for each case, and "texture_check: ok" last.
 */
#include "../compute.h"
#include "../../programs/check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define THREADS 64u
#define WIDTH 40u
#define HEIGHT 24u
#define LAYERS 4u

static struct slc_context *ctx;
static struct slc_module *module;
static struct slc_reference *texels, *picture, *from, *to;
static uint64_t at_buffer, out_buffer;
static float out[THREADS][4];

static void need(int ret, const char *what)
{
	if (ret == SLC_OK)
		return;
	printf("%s: %s: %s\n", what, slc_status_name((enum slc_status)ret), slc_error(ctx)->text);
	exit(1);
}

static void expect_status(const char *name, enum slc_status expected, int ret)
{
	expect_true(name, ret == (int)expected);
	if (ret != (int)expected)
		printf("  %s: %s\n", slc_status_name((enum slc_status)ret), slc_error(ctx)->text);
}

static int launch(const char *name, uint32_t blocks)
{
	struct slc_shape shape = { .grid = { blocks, 1, 1 }, .block = { THREADS, 1, 1 } };
	void *arguments[] = { &at_buffer, &out_buffer };
	const struct slc_function *kernel;
	struct slc_function_info info;

	need(slc_module_function(module, name, &kernel), name);
	slc_function_info(kernel, &info);
	return slc_launch(kernel, &shape, arguments + (info.parameter_count == 1), info.parameter_count);
}

static void fetch_results(void)
{
	need(slc_copy_to_host(ctx, out, out_buffer, sizeof(out)), "results");
}

static int32_t as_int(float value)
{
	int32_t bits;

	memcpy(&bits, &value, 4);
	return bits;
}

/* ---- texels in a row --------------------------------------------------------------------------- */

static void check_fetch(void)
{
	static const struct slc_texel two_shorts = { .channels = 2, .bits = 16, .component = SLC_SIGNED };
	int16_t values[2 * (THREADS - 2)];
	uint64_t buffer;
	bool right = true;
	uint32_t t;

	for (t = 0; t < 2 * (THREADS - 2); t++)
		values[t] = (int16_t)(t * 977 - 30000);
	need(slc_memory_alloc(ctx, sizeof(values), &buffer), "texels");
	need(slc_copy_to_device(ctx, buffer, values, sizeof(values)), "texels");
	expect_status("a kernel whose texture is not bound", SLC_INVALID_VALUE, launch("fetch", 1));
	expect_status("more texels than there is memory", SLC_INVALID_ADDRESS,
		      slc_texture_bind_buffer(texels, &two_shorts, buffer, THREADS));
	expect_status("texels at an odd address", SLC_INVALID_VALUE,
		      slc_texture_bind_buffer(texels, &two_shorts, buffer + 4, 1));
	need(slc_texture_bind_buffer(texels, &two_shorts, buffer, THREADS - 2), "bind");
	need(launch("fetch", 1), "launch");
	fetch_results();
	for (t = 0; t < THREADS; t++) {
		bool inside = t >= 1 && t < THREADS - 1; /* thread 0 fetches texel -1 */
		int32_t x = inside ? values[2 * (t - 1)] : 0;
		int32_t y = inside ? values[2 * (t - 1) + 1] : 0;

		right = right && as_int(out[t][0]) == x && as_int(out[t][1]) == y &&
			as_int(out[t][2]) == 0 && as_int(out[t][3]) == 1;
	}
	expect_true("texels in a row, and zero beyond them", right);
	need(slc_memory_free(ctx, buffer), "free");
	expect_status("texels whose memory was freed", SLC_INVALID_VALUE, launch("fetch", 1));
}

/* ---- pictures ---------------------------------------------------------------------------------- */

static float places[THREADS][2];

static float value_at(uint32_t layer, int x, int y)
{
	x = x < 0 ? 0 : x >= (int)WIDTH ? (int)WIDTH - 1 : x;
	y = y < 0 ? 0 : y >= (int)HEIGHT ? (int)HEIGHT - 1 : y;
	return (float)(layer * 1000 + (uint32_t)(y * (int)WIDTH + x));
}

/* The guide's formula, with weights of 256ths; all of it is exact here. */
static float between(float x, float y)
{
	float fixed_x = floorf((x - 0.5f) * 256 + 0.5f), fixed_y = floorf((y - 0.5f) * 256 + 0.5f);
	int i = (int)floorf(fixed_x / 256), j = (int)floorf(fixed_y / 256);
	double a = fixed_x / 256.0 - i, b = fixed_y / 256.0 - j;

	return (float)((1 - a) * (1 - b) * value_at(0, i, j) + a * (1 - b) * value_at(0, i + 1, j) +
		       (1 - a) * b * value_at(0, i, j + 1) + a * b * value_at(0, i + 1, j + 1));
}

static bool pictures_agree(bool linear, bool layers)
{
	bool right = true;
	uint32_t t;

	fetch_results();
	for (t = 0; t < THREADS; t++) {
		float x = places[t][0], y = places[t][1];
		float value = linear ? between(x, y) :
				       value_at(layers ? t & 3 : 0, (int)floorf(x), (int)floorf(y));

		right = right && out[t][0] == value && out[t][1] == 0 && out[t][2] == 0 && out[t][3] == 1;
	}
	return right;
}

static float *layer_of(uint32_t layer)
{
	static float values[HEIGHT * WIDTH];
	uint32_t i;

	for (i = 0; i < HEIGHT * WIDTH; i++)
		values[i] = value_at(layer, (int)(i % WIDTH), (int)(i / WIDTH));
	return values;
}

static void check_array(const struct slc_texel *floats)
{
	static const struct slc_sampling linear = { .address = { SLC_CLAMP, SLC_CLAMP }, .linear = true };
	static float back[HEIGHT * WIDTH];
	struct slc_array *array;

	need(slc_array_create(ctx, floats, WIDTH, HEIGHT, 0, &array), "array");
	need(slc_array_write(array, 0, layer_of(0)), "write");
	need(slc_array_read(array, 0, back), "read");
	expect_true("an array holds what was written", !memcmp(back, layer_of(0), sizeof(back)));
	expect_status("a layer that is not there", SLC_INVALID_VALUE, slc_array_write(array, 1, back));
	expect_status("a surface bound as a texture", SLC_INVALID_VALUE,
		      slc_texture_bind_array(from, array, NULL));
	need(slc_texture_bind_array(picture, array, NULL), "bind");
	need(launch("sample", 1), "launch");
	expect_true("an array, the nearest texel", pictures_agree(false, false));
	need(slc_texture_bind_array(picture, array, &linear), "bind");
	need(launch("sample", 1), "launch");
	expect_true("an array, between texels", pictures_agree(true, false));
	need(launch("called", 1), "launch");
	expect_true("a function's texture", pictures_agree(true, false));
	/* A launch sees what was bound before it, not what is bound after. */
	need(launch("sample", 1), "launch");
	need(slc_texture_bind_array(picture, array, NULL), "bind");
	expect_true("binding again does not reach back", pictures_agree(true, false));
	need(slc_array_destroy(array), "destroy");
	expect_status("an array that was destroyed", SLC_INVALID_VALUE, launch("sample", 1));
}

static void check_layers(const struct slc_texel *floats)
{
	struct slc_array *array;
	uint32_t layer;

	need(slc_array_create(ctx, floats, WIDTH, HEIGHT, LAYERS, &array), "array");
	for (layer = 0; layer < LAYERS; layer++)
		need(slc_array_write(array, layer, layer_of(layer)), "write");
	need(slc_texture_bind_array(picture, array, NULL), "bind");
	need(launch("layers", 1), "launch");
	expect_true("an array of layers", pictures_agree(false, true));
	expect_status("a surface with layers", SLC_INVALID_VALUE, slc_surface_bind_array(from, array));
	need(slc_array_destroy(array), "destroy");
}

static void check_lines(const struct slc_texel *floats)
{
	struct slc_lines lines = { .texel = *floats, .width = WIDTH, .height = HEIGHT, .pitch = 192 };
	uint32_t y;

	need(slc_memory_alloc(ctx, lines.pitch * HEIGHT, &lines.address), "lines");
	for (y = 0; y < HEIGHT; y++)
		need(slc_copy_to_device(ctx, lines.address + y * lines.pitch, layer_of(0) + y * WIDTH,
					WIDTH * sizeof(float)),
		     "line");
	lines.pitch = 168;
	expect_status("lines at an odd distance", SLC_INVALID_VALUE,
		      slc_texture_bind_lines(picture, &lines, NULL));
	lines.pitch = 224;
	expect_status("lines beyond their memory", SLC_INVALID_ADDRESS,
		      slc_texture_bind_lines(picture, &lines, NULL));
	lines.pitch = 192;
	need(slc_texture_bind_lines(picture, &lines, NULL), "bind");
	need(launch("sample", 1), "launch");
	expect_true("lines", pictures_agree(false, false));
	need(slc_memory_free(ctx, lines.address), "free");
}

/* ---- surfaces ---------------------------------------------------------------------------------- */

static void check_surfaces(void)
{
	static const struct slc_texel words = { .channels = 1, .bits = 32, .component = SLC_UNSIGNED };
	static uint32_t values[HEIGHT][THREADS], back[HEIGHT][THREADS];
	struct slc_array *source, *target;
	uint64_t buffer;
	uint32_t i;

	for (i = 0; i < HEIGHT * THREADS; i++)
		values[i / THREADS][i % THREADS] = i * 2654435761u;
	need(slc_array_create(ctx, &words, THREADS, HEIGHT, 0, &source), "array");
	need(slc_array_create(ctx, &words, THREADS, HEIGHT, 0, &target), "array");
	need(slc_array_write(source, 0, values), "write");
	need(slc_surface_bind_array(from, source), "bind");
	expect_status("a kernel whose surface is not bound", SLC_INVALID_VALUE, launch("move", HEIGHT));
	need(slc_surface_bind_array(to, target), "bind");
	need(launch("move", HEIGHT), "launch");
	need(slc_array_read(target, 0, back), "read");
	expect_true("surfaces of arrays", !memcmp(back, values, sizeof(values)));
	need(slc_memory_alloc(ctx, sizeof(values[0]), &buffer), "memory");
	expect_status("a surface at an odd address", SLC_INVALID_VALUE,
		      slc_surface_bind_buffer(to, buffer + 32, 4));
	need(slc_surface_bind_buffer(to, buffer, sizeof(values[0])), "bind");
	need(launch("move", 1), "launch");
	need(slc_copy_to_host(ctx, back, buffer, sizeof(back[0])), "results");
	expect_true("a surface of bytes", !memcmp(back, values, sizeof(back[0])));
	/* The second line of it is beyond the edge. */
	need(launch("move", 2), "launch");
	expect_status("a surface's edge", SLC_CHANNEL_ENDED, slc_synchronize(ctx));
}

int main(int argc, char **argv)
{
	static const struct slc_texel floats = { .channels = 1, .bits = 32, .component = SLC_FLOAT };
	static const struct slc_texel odd = { .channels = 3, .bits = 8 };
	struct slc_options options = { .device = argv[1], .timeout_ms = 120000 };
	struct slc_reference *none;
	struct slc_array *array;
	uint32_t t;

	if (argc != 3)
		return 64;
	need(slc_context_create(&ctx, &options), "context");
	need(slc_module_load_file(ctx, argv[2], &module), "module");
	need(slc_module_texture(module, "texels", &texels), "texels");
	need(slc_module_texture(module, "picture", &picture), "picture");
	need(slc_module_surface(module, "from", &from), "from");
	need(slc_module_surface(module, "to", &to), "to");
	expect_status("a texture of no name", SLC_NOT_FOUND, slc_module_texture(module, "no", &none));
	expect_status("a surface is no texture", SLC_NOT_FOUND, slc_module_texture(module, "to", &none));
	expect_status("three components", SLC_INVALID_VALUE,
		      slc_array_create(ctx, &odd, 4, 4, 0, &array));
	expect_status("no width", SLC_INVALID_VALUE, slc_array_create(ctx, &floats, 0, 4, 0, &array));
	need(slc_memory_alloc(ctx, sizeof(places), &at_buffer), "memory");
	need(slc_memory_alloc(ctx, sizeof(out), &out_buffer), "memory");
	for (t = 0; t < THREADS; t++) {
		places[t][0] = (float)t * 0.6875f - 2; /* from two texels before the first on */
		places[t][1] = (float)t * 0.4375f - 2;
	}
	need(slc_copy_to_device(ctx, at_buffer, places, sizeof(places)), "places");
	check_fetch();
	check_array(&floats);
	check_layers(&floats);
	check_lines(&floats);
	check_surfaces();
	slc_context_destroy(ctx);
	return report("texture_check");
}
