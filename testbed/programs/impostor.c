/*
 * A user who owns nothing and lies through the device file of API sessions: calls that must be refused, each
 * with its errno; rings whose words and messages are wrong, each of which must end that session alone; all the
 * sessions and pieces of memory that he may have, beside which another user gets one; noise, and processes
 * killed in the middle of anything. A session that is open all the time must go on.
 *
 *	impostor [SECONDS [SEED]]
 *
 * Started as root, as nobody of whom it runs.
 */
#include "lies.h"

#include <signal.h>
#include <stdlib.h>

#define USER 1002
#define NEIGHBOUR 1003
#define NOISY 3 /* processes */
#define DOORBELL (SLUICE_API_MAP_DOORBELL >> SLUICE_API_MAP_SHIFT)
#define EVENTS 64
#define PIECES 5 /* of a segment of so many pages, at least */
#define PIECE_PAGES 31
#define MOST_PIECES 16384 /* of all sessions of a machine */
#define AT_FREE 0xf00 /* a word that the host does not look at */

/* docs/session-protocol.md, "Segment 0" */
#define AT_HEAD 0x40
#define AT_ANSWERS 0x1000
#define AT_RING 0x8000
#define RING_BYTES 0x40000

static int seconds = 3;

/* ---- what must be refused ----------------------------------------------------------------------- */

static void before_open(void)
{
	int fd = device();

	expect("segment of no session", ENOTCONN, api_segment(fd, 1, PAGE, 0));
	expect("wait of no session", ENOTCONN, api_wait(fd, 0, 0, 0));
	expect("doorbell of no session", ENOTCONN, api_ring(fd));
	expect("event of no session", ENOTCONN, api_event(fd, 0, 0));
	expect("mapping of no session", ENXIO, api_map(fd, 0, 0, PAGE, MAP_SHARED));
	expect("doorbell page of no session", ENXIO, api_map(fd, DOORBELL, 0, PAGE, MAP_SHARED));
	expect("no such call", ENOTTY, result(ioctl(fd, _IO(0xF7, 9))));
	expect("memory that is not there", EFAULT, result(ioctl(fd, SLUICE_API_DEV_OPEN, NULL)));
	expect("open with a word that must be 0", EINVAL, api_open(fd, SLUICE_API_OPENCL, FIRST_BYTES, 1));
	expect("open without memory", EINVAL, api_open(fd, SLUICE_API_OPENCL, 0, 0));
	expect("open with too little", EINVAL, api_open(fd, SLUICE_API_OPENCL, PAGE, 0));
	expect("open with half a page", EINVAL, api_open(fd, SLUICE_API_OPENCL, FIRST_BYTES + 8, 0));
	expect("open with too much", EINVAL, api_open(fd, SLUICE_API_OPENCL, 1ull << 40, 0));
	expect("open of no API", EOPNOTSUPP, api_open(fd, 0, FIRST_BYTES, 0));
	expect("open of another API", EOPNOTSUPP, api_open(fd, 77, FIRST_BYTES, 0));
	expect("open of a negative API", EOPNOTSUPP, api_open(fd, ~0u, FIRST_BYTES, 0));
	close(fd);
}

static void after_open(void)
{
	struct session s = session_open(SLUICE_API_OPENCL);
	int ret;

	expect("a second session", EBUSY, api_open(s.fd, SLUICE_API_OPENCL, FIRST_BYTES, 0));
	expect("segment 0", EINVAL, api_segment(s.fd, 0, PAGE, 0));
	expect("segment 64", EINVAL, api_segment(s.fd, SLUICE_MAX_API_SEGMENTS, PAGE, 0));
	expect("segment with a word that must be 0", EINVAL, api_segment(s.fd, 1, PAGE, 1));
	expect("segment of nothing", EINVAL, api_segment(s.fd, 1, 0, 0));
	expect("segment of half a page", EINVAL, api_segment(s.fd, 1, 8, 0));
	expect("segment beyond what a file may have", EDQUOT, api_segment(s.fd, 1, 1ull << 30, 0));
	expect("segment 1", 0, api_segment(s.fd, 1, 4 * PAGE, 0));
	expect("segment 1 again", EBUSY, api_segment(s.fd, 1, PAGE, 0));
	expect("a private mapping", EINVAL, api_map(s.fd, 1, 0, PAGE, MAP_PRIVATE));
	expect("a mapping beyond the end", EINVAL, api_map(s.fd, 1, 0, 5 * PAGE, MAP_SHARED));
	expect("a mapping behind the end", EINVAL, api_map(s.fd, 1, 4, PAGE, MAP_SHARED));
	expect("a mapping of no segment", ENXIO, api_map(s.fd, 2, 0, PAGE, MAP_SHARED));
	expect("a mapping of segment 64", EINVAL, api_map(s.fd, 64, 0, PAGE, MAP_SHARED));
	expect("a mapping", 0, api_map(s.fd, 1, 0, 4 * PAGE, MAP_SHARED));
	expect("wait for half a word", EINVAL, api_wait(s.fd, 2, 0, 0));
	expect("wait beyond the end", EINVAL, api_wait(s.fd, FIRST_BYTES, 0, 0));
	expect("wait far beyond", EINVAL, api_wait(s.fd, ~0ull - 3, 0, 0));
	expect("wait for too long", EINVAL, api_wait(s.fd, 0, 0, 1000000));
	expect("a look", ETIMEDOUT, api_wait(s.fd, SLUICE_API_STATE, 0, 0));
	expect("event of half a word", EINVAL, api_event(s.fd, 2, 0));
	expect("event beyond the end", EINVAL, api_event(s.fd, FIRST_BYTES, 0));
	expect("event far beyond", EINVAL, api_event(s.fd, ~0ull - 3, 0));
	expect("event that is not there", EFAULT, result(ioctl(s.fd, SLUICE_API_DEV_EVENT, NULL)));
	expect("a private doorbell", EINVAL, api_map(s.fd, DOORBELL, 0, PAGE, MAP_PRIVATE));
	expect("two pages of the doorbell", EINVAL, api_map(s.fd, DOORBELL, 0, 2 * PAGE, MAP_SHARED));
	expect("the page behind the doorbell", EINVAL, api_map(s.fd, DOORBELL, 1, PAGE, MAP_SHARED));
	ret = api_map(s.fd, DOORBELL, 0, PAGE, MAP_SHARED);
	expect_true("the doorbell, where there is one", ret == 0 || ret == -ENODEV);
	expect_true("it has not ended by all that", state(&s) == 0);
	session_close(&s);
}

static short poll_once(int fd)
{
	struct pollfd look = { .fd = fd, .events = POLLIN | POLLPRI };

	return poll(&look, 1, 0) < 0 ? POLLNVAL : look.revents;
}

/* Each is told of a change once, whoever made it. */
static void events(void)
{
	struct session s = session_open(SLUICE_API_OPENCL);
	int fds[EVENTS + 1], count = 0;

	while (count <= EVENTS && (fds[count] = api_event(s.fd, AT_FREE, 0)) >= 0)
		count++;
	expect_true("as many events as a session may have", count == EVENTS);
	expect("one more", EMFILE, fds[count]);
	must("events", count > 1 ? 0 : -EMFILE);
	expect_true("nothing has changed", poll_once(fds[0]) == 0);
	__atomic_add_fetch(word(&s, AT_FREE), 1, __ATOMIC_SEQ_CST);
	expect_true("a change", poll_once(fds[0]) == (POLLIN | POLLPRI));
	expect_true("it is told once", poll_once(fds[0]) == 0);
	expect_true("the other has it too", poll_once(fds[1]) == (POLLIN | POLLPRI));
	expect_true("an event is not read", read(fds[0], &s, 0) < 0);
	close(fds[--count]);
	fds[count] = api_event(s.fd, AT_FREE, 1);
	expect_true("one in the place of one that was closed", fds[count] >= 0);
	expect_true("it begins with what was seen", poll_once(fds[count]) == 0);
	close(fds[count]);
	fds[count] = api_event(s.fd, AT_FREE, 0);
	expect_true("a change before it was made", poll_once(fds[count]) == (POLLIN | POLLPRI));
	session_close(&s);
	expect_true("it outlives the session's file", poll_once(fds[0]) == 0);
	for (; count >= 0; count--)
		close(fds[count]);
}

/* Another user, who opens a session when he is told to. */
static pid_t neighbour_start(int *told)
{
	int ends[2];
	char word;
	pid_t child;

	must("pipe", result(pipe(ends)));
	child = fork();
	must("fork", result(child));
	if (child == 0) {
		close(ends[1]);
		if (read(ends[0], &word, 1) != 1)
			_exit(1);
		become(NEIGHBOUR);
		struct session s = session_open(SLUICE_API_OPENCL);

		session_close(&s);
		_exit(failures != 0);
	}
	close(ends[0]);
	*told = ends[1];
	return child;
}

/* Segments for all sessions until there may be no more of them, of many pieces for little memory. */
static void take_pieces(const int *fds, int count)
{
	unsigned int pieces = 0, index;
	int ret = 0, i;

	for (i = 0; i < count && ret == 0; i++)
		for (index = 1; index < SLUICE_MAX_API_SEGMENTS && ret == 0; index++) {
			ret = api_segment(fds[i], index, PIECE_PAGES * PAGE, 0);
			pieces += ret == 0 ? PIECES : 0;
		}
	printf("%u pieces of memory\n", pieces);
	expect("segments until there may be no more", EDQUOT, ret);
	expect_true("some pieces are left for others", pieces <= MOST_PIECES - MOST_PIECES / 4);
}

static void too_many(pid_t neighbour, int told)
{
	int fds[SLUICE_MAX_API_SESSIONS + 1];
	int opened = 0, ret = 0, status = 1;

	while (ret == 0 && opened <= SLUICE_MAX_API_SESSIONS) {
		fds[opened] = device();
		ret = api_open(fds[opened++], SLUICE_API_OPENCL, FIRST_BYTES, 0);
	}
	expect("sessions until there may be no more", EDQUOT, ret);
	take_pieces(fds, opened - 1);
	expect_true("the neighbour is told", write(told, "", 1) == 1);
	expect_true("a session of another user", waitpid(neighbour, &status, 0) == neighbour && status == 0);
	while (opened > 0)
		close(fds[--opened]);
}

/* ---- rings that lie ----------------------------------------------------------------------------- */

static void message(const struct session *s, uint32_t bytes, uint16_t call, uint32_t slot)
{
	uint32_t header[4] = { bytes, call, slot, 0 };

	memcpy(s->memory + AT_RING, header, sizeof(header));
	memset(s->memory + AT_RING + sizeof(header), 0xff, 4096);
}

/* A segment of a session that its memory says has ended: its host says so there first. */
static int late_segment(const struct session *s)
{
	uint32_t index = 1;
	int ret;

	while ((ret = api_segment(s->fd, index, PAGE, 0)) == 0 && ++index < SLUICE_MAX_API_SEGMENTS)
		look_again();
	return ret;
}

static void lie(const char *name, int errno_said, uint32_t head, uint32_t bytes, uint16_t call, uint32_t slot)
{
	struct session s = session_open(SLUICE_API_OPENCL);
	uint32_t end;

	message(&s, bytes, call, slot);
	__atomic_store_n(word(&s, AT_HEAD), head, __ATOMIC_SEQ_CST);
	api_ring(s.fd);
	end = await_end(&s);
	expect(name, errno_said, -(int)end);
	expect("and a segment of what has ended", EPIPE, late_segment(&s));
	session_close(&s);
}

static void lies(void)
{
	lie("a head beyond the ring", EPROTO, RING_BYTES + 8, 16, 1, 0);
	lie("a head before the tail", EPROTO, ~7u, 16, 1, 0);
	lie("a message of nothing", EPROTO, 16, 0, 1, 0);
	lie("a message shorter than its header", EPROTO, 16, 8, 1, 0);
	lie("a message of an odd length", EPROTO, 24, 20, 1, 0);
	lie("a message beyond the head", EPROTO, 16, 4096, 1, 0);
	lie("a message beyond the ring", EPROTO, RING_BYTES, RING_BYTES + 8, 1, 0);
	lie("a message that is too long", EPROTO, 32768, 32768, 1, 0);
	lie("a message of too many bytes", EPROTO, 65536, 60000, 1, 0);
	lie("a call that is not there", ENOSYS, 24, 24, 65535, 0);
	lie("an answer to a slot that is not there", EPROTO, 16, 16, 1, 65);
}

/* ---- noise -------------------------------------------------------------------------------------- */

static void noise(const struct session *s)
{
	int words = 1 + (int)(next_random() % 64);

	while (words-- > 0) {
		uint32_t at = next_random() % 4 ? AT_RING + next_random() % 4096 : next_random() % AT_RING;

		*word(s, at & ~3u) = next_random() % 3 ? next_random() % 64 : next_random();
	}
	*word(s, AT_HEAD) += 8 * (next_random() % 16);
	api_ring(s->fd);
	if (next_random() % 8 == 0)
		api_segment(s->fd, next_random() % 66, PAGE * (next_random() % 300), 0);
}

static void make_noise(uint64_t until)
{
	while (now_ms() < until) {
		struct session s = session_open(SLUICE_API_OPENCL);
		int rounds = 1 + (int)(next_random() % 20);

		while (rounds-- > 0)
			noise(&s);
		session_close(&s);
	}
}

/* Processes that make noise until they are killed, some at once. */
static void crowd(void)
{
	uint64_t until = now_ms() + 1000u * (uint64_t)seconds;
	pid_t pids[NOISY];
	int i, status;

	for (i = 0; i < NOISY; i++) {
		pids[i] = fork();
		must("fork", result(pids[i]));
		if (pids[i] == 0) {
			seed += (uint32_t)i * 7919u + 1;
			make_noise(i == 0 ? until : ~0ull);
			_exit(0);
		}
	}
	waitpid(pids[0], &status, 0);
	for (i = 1; i < NOISY; i++)
		kill(pids[i], SIGKILL);
	for (i = 1; i < NOISY; i++)
		waitpid(pids[i], NULL, 0);
	expect_true("noise", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
	struct session beside;
	pid_t neighbour;
	int told;

	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		seed = (uint32_t)strtoul(argv[2], NULL, 0) | 1;
	neighbour = neighbour_start(&told);
	become(USER);
	printf("seed: %u\n", seed);
	beside = session_open(SLUICE_API_OPENCL);
	before_open();
	after_open();
	events();
	lies();
	too_many(neighbour, told);
	crowd();
	expect_true("the session beside all that", state(&beside) == 0);
	session_close(&beside);
	return report("impostor");
}
