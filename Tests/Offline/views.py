"""What two devices of one person show, compared field by field."""

# The largest number of notifications that a new device has.
NOTIFICATIONS = 20


def differences(old, new):
    """Returns what differs between a device that has been used and a new one."""
    found = []
    old_posts, new_posts = ([entry["post"] for entry in view["posts"]] for view in (old, new))
    # A post that the service has refused waits on its device.
    waiting = {entry["post"]["post_id"] for entry in old["posts"] if entry["parked"] and entry["state"] == "toBeAdded"}
    old_posts = [post for post in old_posts if post["post_id"] not in waiting]
    if [post["post_id"] for post in old_posts] != [post["post_id"] for post in new_posts]:
        found.append(f"the feed is {names(old_posts)}, and of a new device {names(new_posts)}")
    known = {post["post_id"]: post for post in new_posts}
    for post in old_posts:
        if (other := known.get(post["post_id"])) is not None:
            found += fields(f"post {post.get('text')}", post, other)
    found += comments(old, new)
    found += notifications(old, new)
    for entry in old["posts"]:
        if entry["state"] != "upToDate" and entry["post"]["post_id"] not in waiting:
            found.append(f"{entry['post'].get('text')} is {entry['state']}")
        if entry["files"] and entry["post"]["post_id"] not in waiting:
            found.append(f"{entry['post'].get('text')} still has {entry['files']} files")
    return found


def names(posts):
    return [f"{post.get('text')} ({post['post_id']})" for post in posts]


def fields(what, old, new):
    return [
        f"{name} of {what} is {old.get(name)!r}, and on a new device {new.get(name)!r}"
        for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)
    ]


def comments(old, new):
    found = []
    lists = [
        {entry["post"]["post_id"]: view["comments"][entry["identity"]] for entry in view["posts"]} for view in (old, new)
    ]
    for post in lists[0].keys() & lists[1].keys():
        ours = [entry["comment"] for entry in lists[0][post] if entry["state"] != "toBeAdded"]
        theirs = [entry["comment"] for entry in lists[1][post]]
        if [one["comment_id"] for one in ours] != [one["comment_id"] for one in theirs]:
            found.append(f"the comments on {post} are {[one['text'] for one in ours]}, and on a new device "
                         f"{[one['text'] for one in theirs]}")
            continue
        for one, other in zip(ours, theirs):
            found += fields(f"comment {one['text']}", one, other)
    return found


def notifications(old, new):
    found = []
    ours, theirs = old["notifications"][:NOTIFICATIONS], new["notifications"][:NOTIFICATIONS]
    if [one["id"] for one in ours] != [one["id"] for one in theirs]:
        found.append(f"the notifications are {ours}, and on a new device {theirs}")
    else:
        for one, other in zip(ours, theirs):
            # It does not follow the texts that it quotes: see "Synchronising a device" in Documentation/HTTP.md.
            one = {**one, "text": other.get("text")} if "text" in other else one
            found += fields(f"notification {one['id']}", one, other)
    if old["unread"] != new["unread"]:
        found.append(f"{old['unread']} notifications are unread, and on a new device {new['unread']}")
    return found
