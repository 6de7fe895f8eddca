/*
 * Whose things are whose: across fork, exec, dup and descriptors passed to others, what a file made
 * lives as long as the file, and is used by whoever has it. Prints a line for each case and
 * "inherit: ok" at the end.
 *
 *	inherit            the test
 *	inherit FD CID VID what it runs by exec: uses the file it inherits
 */
#include "check.h"
#include "sluice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define WAIT_MS 5000
#define RELEASE_WORDS 16

static int submit_release(struct sluice_channel *ch)
{
	uint32_t words[RELEASE_WORDS];
	struct sluice_words w = { .word = words, .capacity = RELEASE_WORDS };
	struct sluice_report fence = sluice_next_fence(ch);
	int ret;

	sluice_build_release(&w, fence.address, fence.payload);
	sluice_build_interrupt(&w);
	ret = sluice_submit(ch, words, w.count, WAIT_MS);
	return ret ? ret : sluice_wait_interrupt(ch, fence.payload, WAIT_MS);
}

/* Runs it in a child. Returns the child's exit status, or -EPROTO if it did not come to its end. */
static int in_child(int (*run)(void *), void *arg)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(run(arg));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -EPROTO;
	return -WEXITSTATUS(status);
}

static uint32_t free_channels(void)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	uint32_t count = 0;

	must("open", sluice_open(&dev, NULL));
	must("address space", sluice_vspace_new(&dev, &vs));
	for (;;) {
		struct drm_pscnv_chan_new req = { .vid = vs.vid };

		if (sluice_ioctl(&dev, DRM_IOCTL_PSCNV_CHAN_NEW, &req))
			break;
		count++;
	}
	sluice_close(&dev);
	return count;
}

/* ---- fork -------------------------------------------------------------------------------------- */

static int child_submits(void *arg)
{
	return -submit_release(arg);
}

static int child_frees(void *arg)
{
	struct sluice_channel *ch = arg;
	struct drm_pscnv_chan_free req = { .cid = ch->cid };

	return -sluice_ioctl(ch->vs->dev, DRM_IOCTL_PSCNV_CHAN_FREE, &req);
}

static void forked(struct sluice_dev *dev)
{
	struct sluice_vspace_id vs;
	struct sluice_channel ch, other;

	must("address space", sluice_vspace_new(dev, &vs));
	must("channel", sluice_channel_new(&vs, &ch));
	must("channel", sluice_channel_new(&vs, &other));
	expect("the parent's channel", 0, submit_release(&ch));
	expect("the child uses the parent's other channel", 0, in_child(child_submits, &other));
	expect("the parent goes on after the child's end", 0, submit_release(&ch));
	expect("the child frees the parent's other channel", 0, in_child(child_frees, &other));
	expect("it is gone for the parent", ENOENT, -child_frees(&other));
	expect("the parent's channel is not", 0, submit_release(&ch));
	sluice_channel_free(&ch);
	sluice_channel_free(&other);
	sluice_vspace_free(&vs);
}

/* ---- exec -------------------------------------------------------------------------------------- */

struct handed {
	int fd;
	uint32_t cid;
	uint32_t vid;
};

static int child_execs(void *arg)
{
	struct handed *handed = arg;
	char fd[16], cid[16], vid[16];

	fcntl(handed->fd, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", handed->fd);
	snprintf(cid, sizeof(cid), "%u", handed->cid);
	snprintf(vid, sizeof(vid), "%u", handed->vid);
	execl("/proc/self/exe", "inherit", fd, cid, vid, (char *)NULL);
	return EPROTO;
}

/* What comes after exec: the mappings are gone, the file is not. */
static int after_exec(char **argv)
{
	struct sluice_dev dev = { .transport = &sluice_transport_drm, .fd = atoi(argv[1]) };
	struct drm_pscnv_chan_new chan = { .vid = (uint32_t)atoi(argv[3]) };
	struct drm_sluice_chan_wait wait = { .cid = (uint32_t)atoi(argv[2]) };
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, dev.fd,
			  (off_t)(PSCNV_MAP_CHANNEL | (uint64_t)wait.cid << PSCNV_MAP_CHANNEL_SHIFT));
	int ret;

	if (page == MAP_FAILED)
		return errno;
	ret = sluice_ioctl(&dev, DRM_IOCTL_SLUICE_CHAN_WAIT, &wait);
	if (ret && ret != -ETIME)
		return -ret;
	return -sluice_ioctl(&dev, DRM_IOCTL_PSCNV_CHAN_NEW, &chan);
}

static int child_looks(void *arg)
{
	return fcntl(*(int *)arg, F_GETFD) < 0 ? errno : 0;
}

static int child_execs_shut(void *arg)
{
	struct handed *handed = arg;
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", handed->fd);
	execl("/proc/self/exe", "inherit", fd, (char *)NULL);
	return EPROTO;
}

static void executed(struct sluice_dev *dev)
{
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	struct handed handed;

	must("address space", sluice_vspace_new(dev, &vs));
	must("channel", sluice_channel_new(&vs, &ch));
	handed = (struct handed){ .fd = dev->fd, .cid = ch.cid, .vid = vs.vid };
	expect("exec of a program that uses the file", 0, in_child(child_execs, &handed));
	expect("the file is not inherited unless told so", EBADF,
	       in_child(child_execs_shut, &handed));
	expect("the channel after exec", 0, submit_release(&ch));
	sluice_channel_free(&ch);
	sluice_vspace_free(&vs);
}

/* ---- the end of a file ------------------------------------------------------------------------- */

/* A mapping keeps the file, the file keeps the channel. */
static void closed_but_mapped(void)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	uint32_t before = free_channels();
	uint32_t words[RELEASE_WORDS];
	struct sluice_words w = { .word = words, .capacity = RELEASE_WORDS };
	struct sluice_report fence;
	int fd;

	must("open", sluice_open(&dev, NULL));
	must("address space", sluice_vspace_new(&dev, &vs));
	must("channel", sluice_channel_new(&vs, &ch));
	fd = dev.fd;
	close(fd);
	fence = sluice_next_fence(&ch);
	sluice_build_release(&w, fence.address, fence.payload);
	expect("submit through mappings of a file that was closed", 0,
	       sluice_submit(&ch, words, w.count, WAIT_MS));
	expect("it is done", 0, sluice_wait_poll(&ch, fence.payload, WAIT_MS));
	expect_true("the channel is still there", free_channels() == before - 1);
	munmap(ch.control, PAGE);
	munmap(ch.ring_bo.map, ch.ring_bo.size);
	munmap(ch.push_bo.map, ch.push_bo.size);
	munmap(ch.fence_bo.map, ch.fence_bo.size);
	expect_true("it goes with the last mapping", free_channels() == before);
}

static int child_dies(void *arg)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	uint32_t count = *(uint32_t *)arg;

	if (sluice_open(&dev, NULL) || sluice_vspace_new(&dev, &vs))
		return 1;
	while (count--)
		if (sluice_channel_new(&vs, &ch))
			return 2;
	return 0; /* without freeing anything */
}

static void died(void)
{
	uint32_t before = free_channels();
	uint32_t count = 5;

	expect("a program ends with channels left", 0, in_child(child_dies, &count));
	expect_true("none is left", free_channels() == before);
}

/* ---- descriptors passed on ---------------------------------------------------------------------- */

static int send_fd(int socket, int fd)
{
	char byte = 0;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	return sendmsg(socket, &message, 0) == 1 ? 0 : -errno;
}

/* Descriptors in flight, that nobody will ever receive, end with the socket. */
static void in_flight(void)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	uint32_t before = free_channels();
	int ends[2];

	must("socket", socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ? -errno : 0);
	must("open", sluice_open(&dev, NULL));
	must("address space", sluice_vspace_new(&dev, &vs));
	must("channel", sluice_channel_create(&vs, &ch));
	expect("the file is sent to nobody", 0, send_fd(ends[0], dev.fd));
	munmap(ch.control, PAGE);
	sluice_close(&dev);
	expect_true("it lives in the socket", free_channels() == before - 1);
	close(ends[0]);
	close(ends[1]);
	expect_true("and ends with it", free_channels() == before);
}

int main(int argc, char **argv)
{
	struct sluice_dev dev;

	if (argc == 4)
		return after_exec(argv);
	if (argc == 2)
		return child_looks(&(int){ atoi(argv[1]) });
	must("open", sluice_open(&dev, NULL));
	forked(&dev);
	executed(&dev);
	sluice_close(&dev);
	closed_but_mapped();
	died();
	in_flight();
	return report("inherit");
}
