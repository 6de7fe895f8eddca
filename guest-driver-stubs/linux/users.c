// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares of the machine's users in the device: one who takes all he can get has three quarters of
 * it, so that others get something. Root is limited by what there is alone.
 *
 * Ids in a user namespace are as many as its owner has had mapped: what they have is his.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "sluice.h"

/* Three quarters of the 64 that a machine has where the host's operator has not said otherwise. */
static unsigned int user_channels = 48;
module_param(user_channels, uint, 0644);
MODULE_PARM_DESC(user_channels, "most channels, and most address spaces, of a user who is not root");

/* Three quarters of the CUDA programs that the host lets a machine begin at once, and each second. */
#define BEGIN_AT_ONCE 48
#define BEGIN_NS (NSEC_PER_SEC / 15)

struct sluice_user {
	struct hlist_node link;
	kuid_t uid;
	u64 held[SLUICE_GOODS];
};

/*
 * Root's namespaces are containers, most of them: their own root stands for all in one. Where that is
 * nobody, or root himself, root has mapped those ids alone that were to be told apart.
 */
static kuid_t container_user(struct user_namespace *ns)
{
	kuid_t uid = make_kuid(ns, 0);

	return uid_valid(uid) && !uid_eq(uid, GLOBAL_ROOT_UID) ? uid : current_uid();
}

/**
 * sluice_user_of_caller() - who answers for what the calling process has and asks for
 *
 * Return: its user, or who owns the outermost of its user namespaces.
 */
kuid_t sluice_user_of_caller(void)
{
	struct user_namespace *ns = current_user_ns();

	if (ns == &init_user_ns)
		return current_uid();
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	return uid_eq(ns->owner, GLOBAL_ROOT_UID) ? container_user(ns) : ns->owner;
}

/* Most that all users may have together. */
static u64 limit_of(const struct sluice_device *sd, enum sluice_good good)
{
	u64 ram = (u64)totalram_pages() << PAGE_SHIFT;

	switch (good) {
	case SLUICE_PINNED_BYTES:
		return ram / 2;
	case SLUICE_API_BYTES:
		return ram / 4;
	case SLUICE_API_PIECES:
		return SLUICE_MAX_API_PIECES;
	case SLUICE_SESSIONS:
		return SLUICE_MAX_API_SESSIONS;
	case SLUICE_EVENTS:
		return SLUICE_MAX_API_SESSIONS * 16; /* each is looked at after an interrupt */
	case SLUICE_BUFFERS:
		return sd->num_buffers;
	case SLUICE_MAPPINGS:
		return SLUICE_MAX_MAPPINGS;
	default:
		return U64_MAX; /* the host knows */
	}
}

/* Most that a user may have. */
static u64 user_limit_of(const struct sluice_device *sd, enum sluice_good good, kuid_t uid)
{
	u64 limit = limit_of(sd, good);

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		return limit;
	return limit == U64_MAX ? READ_ONCE(user_channels) : limit - limit / 4;
}

static struct sluice_user *user_find(struct sluice_device *sd, kuid_t uid)
{
	struct sluice_user *user;

	hash_for_each_possible(sd->users, user, link, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static bool is_idle(const struct sluice_user *user)
{
	unsigned int i;

	for (i = 0; i < SLUICE_GOODS; i++)
		if (user->held[i])
			return false;
	return true;
}

void sluice_users_init(struct sluice_device *sd)
{
	spin_lock_init(&sd->users_lock);
	hash_init(sd->users);
}

/**
 * sluice_charge() - count something for the user of the calling process
 * @sd: the device
 * @good: what
 * @amount: how many, or bytes; not 0
 *
 * Return: who has it now, for sluice_uncharge(), or -ENOMEM, or -EDQUOT when he or all have as much
 * as they may.
 */
struct sluice_user *sluice_charge(struct sluice_device *sd, enum sluice_good good, u64 amount)
{
	kuid_t uid = sluice_user_of_caller();
	struct sluice_user *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	struct sluice_user *user;
	u64 limit = limit_of(sd, good), own = user_limit_of(sd, good, uid);

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	fresh->uid = uid;
	spin_lock(&sd->users_lock);
	user = user_find(sd, uid);
	if (amount > limit || sd->held[good] > limit - amount || amount > own ||
	    (user && user->held[good] > own - amount)) {
		user = ERR_PTR(-EDQUOT);
		goto out;
	}
	if (!user) {
		user = fresh;
		fresh = NULL;
		hash_add(sd->users, &user->link, __kuid_val(uid));
	}
	user->held[good] += amount;
	sd->held[good] += amount;
out:
	spin_unlock(&sd->users_lock);
	kfree(fresh);
	return user;
}

void sluice_uncharge(struct sluice_device *sd, struct sluice_user *user, enum sluice_good good,
		     u64 amount)
{
	bool last;

	spin_lock(&sd->users_lock);
	user->held[good] -= amount;
	sd->held[good] -= amount;
	last = is_idle(user);
	if (last)
		hash_del(&user->link);
	spin_unlock(&sd->users_lock);
	if (last)
		kfree(user);
}

/**
 * sluice_may_begin() - the pace of the caller's user, at which CUDA programs begin
 *
 * Users whose calls take turns with each other's have one pace.
 *
 * Return: true when one more may begin, which is counted.
 */
bool sluice_may_begin(struct sluice_device *sd)
{
	kuid_t uid = sluice_user_of_caller();
	u64 *next = &sd->begin_ns[hash_32(__kuid_val(uid), SLUICE_LANE_BITS)];
	u64 now = ktime_get_ns();
	bool may;

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		return true;
	spin_lock(&sd->users_lock);
	*next = max(*next, now);
	may = *next - now <= (BEGIN_AT_ONCE - 1) * BEGIN_NS;
	if (may)
		*next += BEGIN_NS;
	spin_unlock(&sd->users_lock);
	return may;
}

/* The last of the device goes: what is still counted is lost, or its holder has gone. */
void sluice_users_free(struct sluice_device *sd)
{
	struct sluice_user *user;
	struct hlist_node *next;
	unsigned int bucket;

	hash_for_each_safe(sd->users, bucket, next, user, link) {
		hash_del(&user->link);
		kfree(user);
	}
}
