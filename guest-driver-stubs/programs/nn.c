/* nn, of Rodinia: the distance of each of many places from one, and which are the nearest. */
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 42764 /* of Rodinia's default data */
#define BLOCK 256
#define LATITUDE 30.0f
#define LONGITUDE 90.0f
#define ULPS 1 /* the kernel's root is an approximation with one step of Newton's */

static uint32_t records;
static float *places; /* latitude, longitude */
static float *distances, *expected;
static uint64_t device_places, device_distances;

static bool prepare(uint32_t size)
{
	float *latitudes, *longitudes;
	uint32_t i;

	records = size;
	places = malloc(2 * sizeof(float) * size);
	distances = malloc(sizeof(float) * size);
	if (!places || !distances)
		return false;
	latitudes = need_memory(sizeof(float) * size);
	longitudes = need_memory(sizeof(float) * size);
	random_floats(latitudes, size, 7, 70, 3);
	random_floats(longitudes, size, 0, 358, 4);
	for (i = 0; i < size; i++) {
		places[2 * i] = latitudes[i];
		places[2 * i + 1] = longitudes[i];
	}
	/* One of them is the place itself. */
	places[0] = LATITUDE;
	places[1] = LONGITUDE;
	free(latitudes);
	free(longitudes);
	return true;
}

static int allocate(struct run *run)
{
	int ret = slc_memory_alloc(run->ctx, 2 * sizeof(float) * records, &device_places);

	return ret ? ret : slc_memory_alloc(run->ctx, sizeof(float) * records, &device_distances);
}

static int upload(struct run *run)
{
	return slc_copy_to_device(run->ctx, device_places, places, 2 * sizeof(float) * records);
}

static int execute(struct run *run)
{
	const struct slc_function *euclid;
	float latitude = LATITUDE, longitude = LONGITUDE;
	void *arguments[] = { &device_places, &device_distances, &records, &latitude, &longitude };
	struct slc_shape shape = {
		.grid = { (records + BLOCK - 1) / BLOCK, 1, 1 },
		.block = { BLOCK, 1, 1 },
	};
	int ret = slc_module_function(run->module, "euclid", &euclid);

	if (ret == SLC_OK)
		ret = slc_launch(euclid, &shape, arguments, 5);
	return ret ? ret : workload_progress(run, 1, 1);
}

static int download(struct run *run)
{
	memset(distances, 0xff, sizeof(float) * records);
	return slc_copy_to_host(run->ctx, distances, device_distances, sizeof(float) * records);
}

static uint32_t nearest(void)
{
	uint32_t best = 0, i;

	for (i = 1; i < records; i++)
		if (distances[i] < distances[best])
			best = i;
	return best;
}

static bool verify(void)
{
	uint32_t i;

	if (!expected) {
		expected = need_memory(sizeof(float) * records);
		for (i = 0; i < records; i++) {
			float latitude = LATITUDE - places[2 * i];
			float longitude = LONGITUDE - places[2 * i + 1];

			expected[i] = sqrtf(fmaf(latitude, latitude, longitude * longitude));
		}
	}
	if (nearest() != 0) {
		printf("place %u is nearer than the place itself\n", nearest());
		return false;
	}
	return floats_agree("distance", distances, expected, records, ULPS);
}

int main(int argc, char **argv)
{
	static const struct workload nn = {
		.name = "nn",
		.size_is = "places",
		.size = RECORDS,
		.unit = 1,
		.max_size = 1u << 24,
		.prepare = prepare,
		.allocate = allocate,
		.upload = upload,
		.execute = execute,
		.download = download,
		.verify = verify,
	};

	return workload_main(&nn, argc, argv);
}
