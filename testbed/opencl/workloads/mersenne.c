/* Many Mersenne twisters (MT19937), each with a seed of its own: size is how many numbers all of them make. */
#include "workload.h"

#define TWISTERS 1024
#define N 624
#define M 397

static const char text[] =
	"kernel void twist(global uint *state, global uint *out, uint seed, uint each)\n"
	"{ uint g = get_global_id(0), n = get_global_size(0), x = seed + g;\n"
	"  for (uint i = 0; i < 624; i++) { state[i * n + g] = x; x = 1812433253u * (x ^ (x >> 30)) + i + 1; }\n"
	"  for (uint k = 0; k < each; k++) { uint i = k % 624;\n"
	"    uint y = (state[i * n + g] & 0x80000000u) | (state[(i + 1) % 624 * n + g] & 0x7fffffffu);\n"
	"    uint v = state[(i + 397) % 624 * n + g] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);\n"
	"    state[i * n + g] = v; v ^= v >> 11; v ^= (v << 7) & 0x9d2c5680u; v ^= (v << 15) & 0xefc60000u; v ^= v >> 18;\n"
	"    out[k * n + g] = v; } }";

static bool is_right(const uint32_t *out, uint32_t seed, size_t each, uint32_t g)
{
	uint32_t state[N], x = seed + g;

	for (uint32_t i = 0; i < N; i++) {
		state[i] = x;
		x = 1812433253u * (x ^ (x >> 30)) + i + 1;
	}
	for (size_t k = 0; k < each; k++) {
		size_t i = k % N;
		uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % N] & 0x7fffffffu);
		uint32_t v = state[(i + M) % N] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);

		state[i] = v;
		v ^= v >> 11;
		v ^= (v << 7) & 0x9d2c5680u;
		v ^= (v << 15) & 0xefc60000u;
		v ^= v >> 18;
		if (out[k * TWISTERS + g] != v)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 1 << 20, 2);
	cl_uint each = (cl_uint)(w.size / TWISTERS), seed = 4357;
	size_t bytes = (size_t)each * TWISTERS * 4;
	uint32_t *result = malloc(bytes);
	cl_kernel kernel = kernel_of(&w.s, text, "twist");
	cl_mem state = memory(&w, NULL, TWISTERS * N * 4), out = memory(&w, NULL, bytes);
	bool right = true;

	ARGUMENT(kernel, 0, state);
	ARGUMENT(kernel, 1, out);
	ARGUMENT(kernel, 2, seed);
	ARGUMENT(kernel, 3, each);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		launch(&w, kernel, TWISTERS, 0);
		fetch(&w, out, result, bytes);
	}
	for (uint32_t g = 0; g < TWISTERS; g += 97)
		right &= is_right(result, seed, each, g);
	return end(&w, result, bytes, right);
}
