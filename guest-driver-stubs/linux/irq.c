// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts. Vector 0 says that calls are done, events were queued, or an API session has
 * something; the others that channels want to be looked at. The host sets a channel's bit in the pending bitmap, then raises its
 * vector. All of it is a hint: handlers take what is there, wake, and waiters look at memory
 * again.
 */
#include <linux/interrupt.h>
#include <linux/ratelimit.h>

#include "sluice.h"

static void line_wake(struct sluice_line *line)
{
	atomic_inc(&line->count);
	wake_up_all(&line->wait);
}

void sluice_lines_init(struct sluice_device *sd)
{
	unsigned int i;

	for (i = 0; i < SLUICE_MAX_CHANNELS; i++) {
		init_waitqueue_head(&sd->lines[i].wait);
		atomic_set(&sd->lines[i].count, 0);
		atomic_set(&sd->lines[i].waiters, 0);
	}
}

/* Wakes everybody who waits for a channel or a session: the state of the device has changed. */
void sluice_wake_all(struct sluice_device *sd)
{
	unsigned int i;

	for (i = 0; i < SLUICE_MAX_CHANNELS; i++)
		wake_up_all(&sd->lines[i].wait);
	sluice_api_wake(sd);
}

static void event_handle(struct sluice_device *sd, const struct sluice_event *event)
{
	switch (event->kind) {
	case SLUICE_EVENT_CHANNEL_ERROR:
		if (event->code == SLUICE_ERROR_TIMEOUT)
			dev_warn_ratelimited(&sd->pdev->dev,
					     "channel %u killed: its command at %#llx lasted %u ms while others waited\n",
					     event->id, event->address, event->info);
		else
			dev_warn_ratelimited(&sd->pdev->dev,
					     "channel %u ended: error %u, info %#x, address %#llx\n",
					     event->id, event->code, event->info, event->address);
		if (event->id < sd->num_channels)
			line_wake(&sd->lines[event->id]);
		break;
	case SLUICE_EVENT_QUOTA:
		drm_dbg_driver(&sd->drm, "video memory limit is %llu bytes\n", event->address);
		break;
	case SLUICE_EVENT_GENERATION:
		/* Moved: all ids stay valid; calls under way are rung again by their waiters. */
		WRITE_ONCE(sd->generation, event->code);
		drm_dbg_driver(&sd->drm, "generation is %u\n", event->code);
		break;
	case SLUICE_EVENT_TOUCH:
		WRITE_ONCE(sd->touch_code, event->code);
		schedule_work(&sd->touch_work);
		break;
	default:
		break; /* a later minor version of the host */
	}
}

static void events_take(struct sluice_device *sd)
{
	struct sluice_event_queue *queue = sd->events;
	u32 head, tail;

	spin_lock(&sd->event_lock);
	tail = READ_ONCE(queue->tail);
	/* Events up to head were written before it; pairs with the host's release. */
	head = smp_load_acquire(&queue->head);
	/*
	 * A queue that cannot be right is taken as empty; an event tells nothing that cannot be
	 * asked.
	 */
	if (head - tail > sd->event_entries)
		tail = head;
	while (tail != head) {
		struct sluice_event event = queue->entries[tail & (sd->event_entries - 1)];

		event_handle(sd, &event);
		tail++;
	}
	/* Done with the entries; pairs with the host's acquire before it overwrites them. */
	smp_store_release(&queue->tail, tail);
	spin_unlock(&sd->event_lock);
}

void sluice_events_restart(struct sluice_device *sd)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&sd->event_lock, flags);
	WRITE_ONCE(sd->events->tail, READ_ONCE(sd->events->head));
	WRITE_ONCE(sd->events->touched, SLUICE_TOUCH_KNOWN);
	spin_unlock_irqrestore(&sd->event_lock, flags);
	for (i = 0; i < SLUICE_PENDING_WORDS; i++)
		xchg(&sd->pending[i], 0);
}

static irqreturn_t calls_interrupt(int irq, void *data)
{
	struct sluice_device *sd = data;

	wake_up_all(&sd->call_done);
	sluice_api_wake(sd);
	events_take(sd);
	return IRQ_HANDLED;
}

/*
 * Whichever vector came: taking a word takes the bits of other vectors as well, so all are
 * handled.
 */
static irqreturn_t channel_interrupt(int irq, void *data)
{
	struct sluice_device *sd = data;
	unsigned int word, words = DIV_ROUND_UP(sd->num_channels, 32);

	for (word = 0; word < words; word++) {
		unsigned long bits = 0;
		unsigned int bit;

		if (READ_ONCE(sd->pending[word]) != 0)
			bits = xchg(&sd->pending[word], 0);
		for_each_set_bit(bit, &bits, 32)
			line_wake(&sd->lines[word * 32 + bit]);
	}
	return IRQ_HANDLED;
}

/*
 * All vectors or none: the host spreads channels over the number it has told. They go with the
 * device (PCI device-managed release).
 */
int sluice_irq_init(struct sluice_device *sd)
{
	struct pci_dev *pdev = sd->pdev;
	unsigned int i;
	int ret;

	ret = pci_alloc_irq_vectors(pdev, sd->num_vectors, sd->num_vectors, PCI_IRQ_MSIX);
	if (ret < 0)
		return dev_err_probe(&pdev->dev, ret, "no %u MSI-X vectors\n", sd->num_vectors);
	for (i = 0; i < sd->num_vectors; i++) {
		irq_handler_t handler = i == 0 ? calls_interrupt : channel_interrupt;

		ret = devm_request_irq(&pdev->dev, pci_irq_vector(pdev, i), handler, 0,
				       i == 0 ? "sluice-calls" : "sluice-channels", sd);
		if (ret)
			return dev_err_probe(&pdev->dev, ret, "vector %u\n", i);
	}
	return 0;
}
