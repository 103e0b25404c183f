/// All who listen, by the nodes at which they do.
struct ListenerTable: Sendable {
    /// The consequence of a change at a listener's node.
    enum Target: Sendable {
        /// The change becomes an event; see ``EventReceiver``.
        case receiver(any EventReceiver)
        /// Its values are put into a buffer; see ``Subscription``.
        case subscription(Subscription.Buffer)
        /// The query takes the change into its window.
        case query(QuerySubscription)
        /// Somebody is told that there is one; see ``NodeWatch``.
        case watcher(@Sendable () -> Void)
    }

    /// All who listen at one node.
    struct Group {
        var recipients: [EventRecipient] = []
        var subscriptions: [Subscription.Buffer] = []
        var queries: [QuerySubscription] = []
        var watchers: [@Sendable () -> Void] = []

        init(_ targets: [UInt64: Target]) {
            var receivers: [(UInt64, any EventReceiver)] = []
            for (id, target) in targets {
                switch target {
                case .receiver(let receiver): receivers.append((id, receiver))
                case .subscription(let buffer): subscriptions.append(buffer)
                case .query(let query): queries.append(query)
                case .watcher(let changed): watchers.append(changed)
                }
            }
            if !receivers.isEmpty { recipients = Array(EventRecipient.grouping(receivers)) }
        }
    }

    private var trie = PathTrie<Target>()
    private var lastID: UInt64 = 0

    var isEmpty: Bool { trie.isEmpty }

    /// A number that no other listener has.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ target: Target, at node: [UInt8]) -> UInt64 {
        let id = makeID()
        trie.insert(target, id: id, at: node)
        return id
    }

    mutating func remove(_ id: UInt64, at node: [UInt8]) { trie.remove(id: id, at: node) }

    /// The groups that a change concerns, by their nodes.
    func groups(concernedBy change: EncodedChange) -> [[UInt8]: Group] {
        var groups: [[UInt8]: Group] = [:]
        for write in change.writes {
            trie.visit(concernedBy: write.key) { node, targets in
                guard groups[node] == nil, !change.unchangedNodes.contains(node) else { return }
                groups[node] = Group(targets)
            }
        }
        return groups
    }

    /// All of them.
    func everybody() -> [Target] {
        var all: [Target] = []
        trie.visitAll { all.append($0) }
        return all
    }

    /// The nodes below another one at which somebody listens to changes: queries and watchers look for themselves.
    func listenedNodes(strictlyBelow node: [UInt8]) -> [[UInt8]] {
        var nodes: [[UInt8]] = []
        trie.visit(concernedBy: node) { found, targets in
            let isListened = targets.values.contains { target in
                switch target {
                case .receiver, .subscription: true
                case .query, .watcher: false
                }
            }
            if found.count > node.count, isListened { nodes.append(found) }
        }
        return nodes
    }

    /// Whether somebody at a node or above it receives events, which priorities are part of.
    func hasReceiver(atOrAbove node: [UInt8]) -> Bool {
        var hasReceiver = false
        trie.visit(concernedBy: node) { found, targets in
            guard found.count <= node.count, !hasReceiver else { return }
            hasReceiver = targets.values.contains { if case .receiver = $0 { true } else { false } }
        }
        return hasReceiver
    }
}
