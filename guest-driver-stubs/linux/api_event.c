// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of API sessions: a descriptor that poll() finds readable once for each time that a word of
 * segment 0 has changed. It keeps the session's file: a process that closed the file and has an event
 * left has the session left.
 *
 * The pollers of an event are bounded, and so are the events of a session and of a user; still too
 * many to wake for an interrupt, so work does.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/workqueue.h>

#include "api_session.h"
#include "sluice.h"

#define MAX_EVENTS 64 /* of a session */

struct api_event {
	struct list_head link; /* sluice_device.api_events */
	struct file *file; /* the session's, with a reference */
	struct sluice_api *api;
	struct sluice_user *holder;
	const u32 *word;
	const u32 *state; /* of the session */
	atomic_t seen; /* the word, when it was last found changed */
	bool crowded; /* somebody was turned away, whom nobody wakes */
	wait_queue_head_t wait;
};

static bool has_changed(const struct api_event *event)
{
	return READ_ONCE(*event->word) != (u32)atomic_read(&event->seen);
}

/* Nothing will ever change. */
static bool has_ended(const struct api_event *event)
{
	return READ_ONCE(*event->state) != 0 || sluice_api_is_gone(event->api);
}

/*
 * Wakes those whose word has changed; what they missed meanwhile they see when they look. Those who
 * wait for a session know their words themselves.
 */
static void event_work(struct work_struct *work)
{
	struct sluice_device *sd = container_of(work, struct sluice_device, api_event_work);
	struct api_event *event;
	struct sluice_api *api;

	mutex_lock(&sd->api_events_lock);
	list_for_each_entry(api, &sd->api_sessions, link)
		if (waitqueue_active(&api->wait)) {
			wake_up_all(&api->wait);
			cond_resched();
		}
	list_for_each_entry(event, &sd->api_events, link)
		if (has_changed(event) || has_ended(event)) {
			wake_up_all(&event->wait);
			cond_resched();
		}
	mutex_unlock(&sd->api_events_lock);
}

/*
 * Whether the host is still there: who waits for an event calls nobody, and would not hear of its end.
 */
static void look_work(struct work_struct *work)
{
	struct sluice_device *sd = container_of(to_delayed_work(work), struct sluice_device,
						api_look_work);

	if (sluice_host_check(sd) && !list_empty(&sd->api_events))
		schedule_delayed_work(&sd->api_look_work, SLUICE_LOOK_SECONDS * HZ);
}

void sluice_api_events_init(struct sluice_device *sd)
{
	mutex_init(&sd->api_events_lock);
	INIT_LIST_HEAD(&sd->api_events);
	INIT_LIST_HEAD(&sd->api_sessions);
	INIT_WORK(&sd->api_event_work, event_work);
	INIT_DELAYED_WORK(&sd->api_look_work, look_work);
}

/* The last of the device goes: no interrupt comes any more. */
void sluice_api_events_end(struct sluice_device *sd)
{
	cancel_delayed_work_sync(&sd->api_look_work);
	cancel_work_sync(&sd->api_event_work);
	mutex_destroy(&sd->api_events_lock);
}

/* Before anybody can wait for it: there are as many as users may have sessions. */
void sluice_api_session_add(struct sluice_api *api)
{
	mutex_lock(&api->sd->api_events_lock);
	list_add(&api->link, &api->sd->api_sessions);
	mutex_unlock(&api->sd->api_events_lock);
}

/* Nobody waits for it any more; it need not have been added. */
void sluice_api_session_remove(struct sluice_api *api)
{
	mutex_lock(&api->sd->api_events_lock);
	list_del_init(&api->link);
	mutex_unlock(&api->sd->api_events_lock);
}

/* Wakes whoever waits for a session: some at once, as many as there are by work. */
void sluice_api_wake(struct sluice_device *sd)
{
	wake_up_all(&sd->api_wait);
	/* One that is being added now looks at its word after that. */
	if (!list_empty(&sd->api_events) || atomic_read(&sd->api_late))
		queue_work(system_highpri_wq, &sd->api_event_work);
}

/* ---- the descriptor -------------------------------------------------------------------------- */

static bool is_crowded(struct api_event *event)
{
	unsigned int count = 0;
	struct list_head *entry;

	spin_lock_irq(&event->wait.lock);
	list_for_each(entry, &event->wait.head)
		if (++count == SLUICE_MAX_WOKEN)
			break;
	spin_unlock_irq(&event->wait.lock);
	return count == SLUICE_MAX_WOKEN;
}

static __poll_t event_poll(struct file *file, struct poll_table_struct *table)
{
	struct api_event *event = file->private_data;
	__poll_t mask = 0;
	u32 now;

	/* Nobody would wake one more: whoever polls is told so, until there is room. */
	if ((table && table->_qproc) || READ_ONCE(event->crowded))
		WRITE_ONCE(event->crowded, is_crowded(event));
	if (READ_ONCE(event->crowded))
		return EPOLLERR;
	poll_wait(file, &event->wait, table);
	now = READ_ONCE(*event->word);
	/* Of two who poll, one at least finds a change. */
	if ((u32)atomic_xchg(&event->seen, now) != now)
		mask |= EPOLLIN | EPOLLPRI | EPOLLRDNORM;
	if (has_ended(event))
		mask |= EPOLLERR | EPOLLHUP;
	return mask;
}

/* The session's file goes last: what is looked at is its memory. */
static int event_release(struct inode *inode, struct file *file)
{
	struct api_event *event = file->private_data;
	struct sluice_device *sd = event->api->sd;

	mutex_lock(&sd->api_events_lock);
	list_del(&event->link);
	mutex_unlock(&sd->api_events_lock);
	atomic_dec(&event->api->events);
	sluice_uncharge(sd, event->holder, SLUICE_EVENTS, 1);
	fput(event->file);
	kfree(event);
	return 0;
}

static const struct file_operations event_fops = {
	.owner = THIS_MODULE,
	.poll = event_poll,
	.release = event_release,
	.llseek = noop_llseek,
};

static struct api_event *event_new(struct file *file, const u32 *word, u32 seen)
{
	struct sluice_api *api = file->private_data;
	struct api_event *event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);

	if (!event)
		return ERR_PTR(-ENOMEM);
	event->holder = sluice_charge(api->sd, SLUICE_EVENTS, 1);
	if (IS_ERR(event->holder)) {
		int error = PTR_ERR(event->holder);

		kfree(event);
		return ERR_PTR(error);
	}
	event->api = api;
	event->word = word;
	event->state = sluice_api_word(api, SLUICE_API_STATE);
	atomic_set(&event->seen, seen);
	init_waitqueue_head(&event->wait);
	event->file = get_file(file);
	return event;
}

static int event_add(struct file *file, const u32 *word, u32 seen)
{
	struct api_event *event = event_new(file, word, seen);
	struct sluice_device *sd;
	int fd;

	if (IS_ERR(event))
		return PTR_ERR(event);
	sd = event->api->sd;
	mutex_lock(&sd->api_events_lock);
	list_add(&event->link, &sd->api_events);
	mutex_unlock(&sd->api_events_lock);
	schedule_delayed_work(&sd->api_look_work, SLUICE_LOOK_SECONDS * HZ);
	fd = anon_inode_getfd("[sluice-event]", &event_fops, event, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd; /* whose file may be closed by now, the event with it */
	mutex_lock(&sd->api_events_lock);
	list_del(&event->link);
	mutex_unlock(&sd->api_events_lock);
	sluice_uncharge(sd, event->holder, SLUICE_EVENTS, 1);
	fput(event->file);
	kfree(event);
	return fd;
}

/* Returns a descriptor for the word at an offset of segment 0, of which a value was seen. */
int sluice_api_event(struct file *file, u64 offset, u32 seen)
{
	struct sluice_api *api = file->private_data;
	u32 *word = sluice_api_word(api, offset);
	int fd = -EMFILE;

	if (IS_ERR(word))
		return PTR_ERR(word);
	if (atomic_inc_return(&api->events) <= MAX_EVENTS)
		fd = event_add(file, word, seen);
	if (fd < 0)
		atomic_dec(&api->events);
	return fd;
}
