/* Prices of European options by the formula of Black and Scholes. */
#include "workload.h"

#define RATE 0.02f
#define VOLATILITY 0.3f

static const char text[] =
	"float phi(float d) { float k = 1.0f / (1.0f + 0.2316419f * fabs(d));\n"
	"  float c = 0.39894228040f * exp(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f\n"
	"    + k * (-1.821255978f + k * 1.330274429f))))); return d > 0 ? 1.0f - c : c; }\n"
	"kernel void price(global const float *random, global float *call, global float *put, float rate, float volatility)\n"
	"{ size_t g = get_global_id(0); float r = random[g], s = 5 + 25 * r, x = 1 + 99 * (1 - r), t = 0.25f + 9.75f * r;\n"
	"  float root = sqrt(t), d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);\n"
	"  float d2 = d1 - volatility * root, discounted = x * exp(-rate * t);\n"
	"  call[g] = s * phi(d1) - discounted * phi(d2); put[g] = discounted * (1 - phi(d2)) - s * (1 - phi(d1)); }";

static double phi(double d)
{
	return 0.5 * erfc(-d / sqrt(2));
}

static bool is_right(const float *random, const float *call, const float *put, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double r = random[i], s = 5 + 25 * r, x = 1 + 99 * (1 - r), t = 0.25 + 9.75 * r;
		double d1 = (log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / (VOLATILITY * sqrt(t));
		double d2 = d1 - VOLATILITY * sqrt(t), discounted = x * exp(-RATE * t);

		if (fabs(call[i] - (s * phi(d1) - discounted * phi(d2))) > 1e-3)
			return false;
		if (fabs(put[i] - (discounted * phi(-d2) - s * phi(-d1))) > 1e-3)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 1 << 18, 4);
	size_t bytes = w.size * sizeof(float);
	float *random = random_floats(w.size, 2), *result = malloc(2 * bytes);
	cl_kernel kernel = kernel_of(&w.s, text, "price");
	cl_mem in = memory(&w, NULL, bytes), call = memory(&w, NULL, bytes), put = memory(&w, NULL, bytes);
	cl_float rate = RATE, volatility = VOLATILITY;

	ARGUMENT(kernel, 0, in);
	ARGUMENT(kernel, 1, call);
	ARGUMENT(kernel, 2, put);
	ARGUMENT(kernel, 3, rate);
	ARGUMENT(kernel, 4, volatility);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		MUST(clEnqueueWriteBuffer(w.s.queue, in, CL_FALSE, 0, bytes, random, 0, NULL, NULL));
		launch(&w, kernel, w.size, 0);
		fetch(&w, call, result, bytes);
		fetch(&w, put, result + w.size, bytes);
	}
	return end(&w, result, 2 * bytes, is_right(random, result, result + w.size, w.size));
}
