// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI device: finding it, its BARs, resets, and leaving it.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/drm_drv.h>

#include "sluice.h"

/* ---- registers and BARs ---------------------------------------------------------------------- */

static u64 read64(struct sluice_device *sd, u32 low)
{
	return sluice_read(sd, low) | (u64)sluice_read(sd, low + 4) << 32;
}

static int registers_init(struct sluice_device *sd)
{
	struct device *dev = &sd->pdev->dev;
	u32 version;

	sd->regs = pcim_iomap(sd->pdev, SLUICE_BAR_REGISTERS, 0);
	if (!sd->regs)
		return -ENOMEM;
	if (pci_resource_len(sd->pdev, SLUICE_BAR_REGISTERS) < SLUICE_BAR0_SIZE ||
	    sluice_read(sd, SLUICE_REG_MAGIC) != SLUICE_MAGIC)
		return dev_err_probe(dev, -ENODEV, "not a Sluice device\n");
	version = sluice_read(sd, SLUICE_REG_VERSION);
	if (version >> 16 != SLUICE_ABI_MAJOR)
		return dev_err_probe(dev, -ENODEV, "device speaks version %u.%u, driver %u.%u\n",
				     version >> 16, version & 0xffff, SLUICE_ABI_MAJOR,
				     SLUICE_ABI_MINOR);
	sd->caps = read64(sd, SLUICE_REG_CAPS_LO);
	sd->num_channels = sluice_read(sd, SLUICE_REG_NUM_CHANNELS);
	sd->num_vectors = sluice_read(sd, SLUICE_REG_NUM_VECTORS);
	sd->num_buffers = sluice_read(sd, SLUICE_REG_MAX_MEMORY) - 1; /* 0 is no handle */
	sd->event_entries = sluice_read(sd, SLUICE_REG_EVENT_ENTRIES);
	if (sd->num_channels < 2 || sd->num_channels > SLUICE_MAX_CHANNELS ||
	    sd->num_vectors < 2 || !is_power_of_2(sd->event_entries) ||
	    sd->event_entries > SLUICE_EVENT_ENTRIES)
		return dev_err_probe(dev, -ENODEV, "registers make no sense\n");
	return 0;
}

/*
 * Maps a BAR that is memory of the host process: cached, since the device is coherent. (Where the
 * firmware declared the BAR's range uncached, x86 makes it so.) Processes that map parts of the
 * BAR by faults get the cache mode of this mapping.
 */
static void *memory_bar(struct sluice_device *sd, int bar)
{
	return devm_memremap(&sd->pdev->dev, pci_resource_start(sd->pdev, bar),
			     pci_resource_len(sd->pdev, bar), MEMREMAP_WB);
}

static int calls_bar_init(struct sluice_device *sd)
{
	u32 events = sluice_read(sd, SLUICE_REG_EVENT_OFFSET);
	u32 pending = sluice_read(sd, SLUICE_REG_PENDING_OFFSET);

	if (pci_resource_len(sd->pdev, SLUICE_BAR_CALLS) < SLUICE_BAR1_SIZE ||
	    events > SLUICE_BAR1_SIZE - sizeof(struct sluice_event_queue) || events % 8 ||
	    pending > SLUICE_BAR1_SIZE - sizeof(u32) * SLUICE_PENDING_WORDS || pending % 4)
		return dev_err_probe(&sd->pdev->dev, -ENODEV, "BAR 1 makes no sense\n");
	sd->calls = memory_bar(sd, SLUICE_BAR_CALLS);
	if (IS_ERR(sd->calls))
		return PTR_ERR(sd->calls);
	sd->events = sd->calls + events;
	sd->pending = sd->calls + pending;
	return 0;
}

static int control_bar_init(struct sluice_device *sd)
{
	if (pci_resource_len(sd->pdev, SLUICE_BAR_CONTROL) >> PAGE_SHIFT < sd->num_channels)
		return dev_err_probe(&sd->pdev->dev, -ENODEV, "BAR 4 is too small\n");
	sd->control = memory_bar(sd, SLUICE_BAR_CONTROL);
	sd->control_base = pci_resource_start(sd->pdev, SLUICE_BAR_CONTROL);
	return PTR_ERR_OR_ZERO(sd->control);
}

static int vram_bar_init(struct sluice_device *sd)
{
	if (!(sd->caps & SLUICE_CAP_VRAM_APERTURE))
		return 0;
	sd->vram_base = pci_resource_start(sd->pdev, SLUICE_BAR_VRAM);
	sd->vram_bytes = pci_resource_len(sd->pdev, SLUICE_BAR_VRAM);
	if (!sd->vram_bytes)
		return dev_err_probe(&sd->pdev->dev, -ENODEV, "BAR 2 is missing\n");
	sd->vram = memory_bar(sd, SLUICE_BAR_VRAM);
	return PTR_ERR_OR_ZERO(sd->vram);
}

/* A register of the GPU, which only programs write. */
static int doorbell_bar_init(struct sluice_device *sd)
{
	if (!(sd->caps & SLUICE_CAP_DOORBELL))
		return 0;
	if (pci_resource_len(sd->pdev, SLUICE_BAR_DOORBELL) < PAGE_SIZE)
		return dev_err_probe(&sd->pdev->dev, -ENODEV, "BAR 5 is too small\n");
	sd->doorbell_base = pci_resource_start(sd->pdev, SLUICE_BAR_DOORBELL);
	return 0;
}

static int bars_init(struct sluice_device *sd)
{
	int ret;

	ret = registers_init(sd);
	if (ret == 0)
		ret = calls_bar_init(sd);
	if (ret == 0)
		ret = control_bar_init(sd);
	if (ret == 0)
		ret = vram_bar_init(sd);
	if (ret == 0)
		ret = doorbell_bar_init(sd);
	return ret;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void tables_init(struct sluice_device *sd)
{
	spin_lock_init(&sd->event_lock);
	init_rwsem(&sd->gate);
	init_rwsem(&sd->revoke);
	xa_init(&sd->vspaces);
	xa_init(&sd->channels);
	mutex_init(&sd->pages_lock);
	INIT_LIST_HEAD(&sd->pages);
	INIT_LIST_HEAD(&sd->quarantine);
	INIT_LIST_HEAD(&sd->lists_in_quarantine);
	INIT_WORK(&sd->touch_work, sluice_touch_work);
	sluice_lines_init(sd);
	sluice_users_init(sd);
	sluice_api_tables_init(sd);
}

/* Nobody can make a call any more; programs may still hold files, buffers and mappings. */
static void device_leave(struct sluice_device *sd)
{
	drm_dev_unplug(&sd->drm);
	if (sluice_reset(sd))
		sluice_mark_dead(sd, "the device does not reset on removal");
	else
		sluice_void_all(sd);
	sluice_api_leave(sd);
	sluice_pages_unmap_all(sd);
}

static int sluice_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct sluice_device *sd;
	int ret;

	sd = devm_drm_dev_alloc(&pdev->dev, &sluice_drm_driver, struct sluice_device, drm);
	if (IS_ERR(sd))
		return PTR_ERR(sd);
	sd->pdev = pdev;
	pci_set_drvdata(pdev, sd);
	tables_init(sd);

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	ret = pcim_request_all_regions(pdev, "sluice");
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX & PAGE_MASK);
	pci_set_master(pdev);
	ret = bars_init(sd);
	if (ret)
		return ret;
	ret = sluice_calls_init(sd);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "call slots make no sense\n");
	/* A former driver, perhaps of a former kernel, may have left things behind. */
	ret = sluice_reset(sd);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "the device does not reset\n");
	ret = sluice_irq_init(sd);
	if (ret)
		return ret;
	ret = drm_dev_register(&sd->drm, 0);
	if (ret)
		return ret;
	ret = sluice_api_register(sd);
	if (ret)
		device_leave(sd); /* programs may have opened it */
	return ret;
}

static void sluice_remove(struct pci_dev *pdev)
{
	struct sluice_device *sd = pci_get_drvdata(pdev);

	sluice_api_unregister(sd);
	device_leave(sd);
}

/* A kernel that comes after this one must find its memory its own. */
static void sluice_shutdown(struct pci_dev *pdev)
{
	struct sluice_device *sd = pci_get_drvdata(pdev);

	drm_dev_unplug(&sd->drm);
	sluice_reset(sd);
	pci_clear_master(pdev);
}

/* ---- resets and sleep ------------------------------------------------------------------------ */

static void sluice_reset_prepare(struct pci_dev *pdev)
{
	sluice_stop(pci_get_drvdata(pdev));
}

static void sluice_reset_done(struct pci_dev *pdev)
{
	struct sluice_device *sd = pci_get_drvdata(pdev);

	if (sluice_reset(sd)) {
		drm_err(&sd->drm, "the device did not come back from its reset\n");
		return;
	}
	sluice_void_all(sd);
	drm_info(&sd->drm, "reset; what programs held there is void\n");
}

static const struct pci_error_handlers error_handlers = {
	.reset_prepare = sluice_reset_prepare,
	.reset_done = sluice_reset_done,
};

/* Sleep would lose what programs hold in the device: it is refused while they hold any. */
static int sluice_suspend(struct device *dev)
{
	struct sluice_device *sd = dev_get_drvdata(dev);
	bool idle;

	mutex_lock(&sd->pages_lock);
	idle = xa_empty(&sd->vspaces) && xa_empty(&sd->channels) && list_empty(&sd->pages) &&
	       list_empty(&sd->api_memory) && atomic_read(&sd->video_buffers) == 0;
	mutex_unlock(&sd->pages_lock);
	return idle ? 0 : -EBUSY;
}

static int sluice_resume(struct device *dev)
{
	struct sluice_device *sd = dev_get_drvdata(dev);
	int ret = sluice_reset(sd);

	if (ret)
		sluice_mark_dead(sd, "the device did not come back from sleep");
	else
		sluice_void_all(sd);
	return ret;
}

static DEFINE_SIMPLE_DEV_PM_OPS(sluice_pm_ops, sluice_suspend, sluice_resume);

static const struct pci_device_id sluice_ids[] = {
	{ PCI_DEVICE(SLUICE_PCI_VENDOR, SLUICE_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, sluice_ids);

static struct pci_driver sluice_pci_driver = {
	.name = "sluice",
	.id_table = sluice_ids,
	.probe = sluice_probe,
	.remove = sluice_remove,
	.shutdown = sluice_shutdown,
	.err_handler = &error_handlers,
	.driver.pm = pm_sleep_ptr(&sluice_pm_ops),
};
module_pci_driver(sluice_pci_driver);

MODULE_DESCRIPTION("Sluice virtual GPU with pscnv's user ABI");
MODULE_AUTHOR("The Sluice authors");
MODULE_LICENSE("GPL");
