/// The words for commands that other programs have, and people try.
enum CommandSynonyms {
    /// The verbs that are meant, by the words for them; the first that a group has counts.
    private static let verbs = [
        "list": ["ls", "show"],
        "get": ["show", "ls"], "view": ["show", "ls"], "info": ["show", "ls"], "display": ["show", "ls"],
        "show": ["ls", "status"],
        "add": ["set", "run"], "create": ["add", "set", "run"], "new": ["add", "set", "run"],
        "make": ["add", "set", "run"],
        "set": ["add"], "edit": ["set"], "change": ["set"], "update": ["set"], "modify": ["set"], "rename": ["set"],
        "delete": ["rm", "prune", "dismiss"], "del": ["rm", "prune", "dismiss"],
        "remove": ["rm", "prune", "dismiss"], "drop": ["rm", "prune", "dismiss"], "rm": ["prune", "dismiss"],
        "revoke": ["rm"], "withdraw": ["rm"],
        "find": ["search", "ls"], "search": ["ls"],
        "start": ["run"], "stop": ["cancel", "pause"], "passwd": ["password"],
        "block": ["disable"], "lock": ["disable"], "unblock": ["enable"], "unlock": ["enable"],
    ]

    /// The commands that are meant where a group has no verb for it, by the group and the word.
    private static let elsewhere = [
        "post add": "upload", "post create": "upload", "post new": "upload",
        "photo add": "upload", "photo upload": "upload", "inbox add": "upload",
        "children add": "invite add --no-address", "requests add": "invite add",
        "announcement send": "announcement add",
        "audience members": "audience show", "person members": "person ls",
    ]

    /// The commands at the top that are meant, by the words for them.
    private static let groups = [
        "account": "user", "accounts": "user", "member": "user", "members": "user", "users": "user", "login": "user",
        "passwd": "user password", "password": "user password", "token": "user token",
        "people": "person", "persons": "person", "profile": "person", "profiles": "person", "search": "person search",
        "invitation": "invite", "invitations": "invite", "invites": "invite", "join": "invite",
        "children": "invite children", "requests": "invite requests",
        "audiences": "audience", "class": "audience", "classes": "audience", "circle": "audience",
        "group": "audience", "groups": "audience",
        "keys": "key", "apikey": "key",
        "quotas": "quota", "usage": "quota ls", "limits": "quota", "disk": "quota ls",
        "message": "announcement", "messages": "announcement", "broadcast": "announcement",
        "deliveries": "outbox", "delivery": "outbox",
        "publish": "upload", "send": "upload", "add": "upload",
        "failed": "inbox", "failures": "inbox", "queue": "inbox",
        "report": "flag", "reports": "flag", "moderate": "post moderate",
        "picture": "photo", "pictures": "photo", "image": "photo", "images": "photo", "thumbnails": "rethumb",
        "database": "tree", "db": "tree", "rule": "rules", "storage": "store", "backups": "backup",
        "settings": "config", "setting": "config", "configuration": "config",
        "start": "serve", "run": "serve", "server": "serve", "daemon": "serve",
        "setup": "init", "install": "init", "state": "status", "health": "status",
        "operations": "ops", "dashboard": "ops", "request": "api", "curl": "api", "version": "--version",
    ]

    /// Returns the command that a word means; nil if it is no synonym, or if none of the group is meant.
    ///
    /// - Parameters:
    ///   - path: The names of the group and of those that it is in; empty for the top.
    ///   - known: The names in the group.
    static func command(for word: String, at path: [String], among known: [String]) -> String? {
        guard let group = path.last else { return groups[word] }
        return verbs[word]?.first(where: known.contains) ?? elsewhere["\(group) \(word)"]
    }

    /// Whether a word is a verb, of whatever group, so that nobody means an argument by it.
    static func isVerb(_ word: String) -> Bool { verbs[word] != nil }
}
