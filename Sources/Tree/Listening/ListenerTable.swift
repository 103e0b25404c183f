/// All listeners, by their nodes.
struct ListenerTable: Sendable {
    /// The target of changes at a listener's node.
    enum Target: Sendable {
        /// The change is sent as an event; see ``EventReceiver``.
        case receiver(any EventReceiver)
        /// The change's values are added to a buffer; see ``Subscription``.
        case subscription(Subscription.Buffer)
        /// The change updates the query's window.
        case query(QuerySubscription)
        /// A function is called; see ``NodeWatch``.
        case watcher(@Sendable () -> Void)
    }

    /// All listeners at one node.
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

    /// Returns a new, unique listener id.
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

    /// Returns the groups that a change concerns, by their nodes.
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

    /// Returns all targets.
    func everybody() -> [Target] {
        var all: [Target] = []
        trie.visitAll { all.append($0) }
        return all
    }

    /// Returns the nodes below another one that have listeners to changes; queries and watchers are excluded because
    /// they compare values themselves.
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

    /// Whether an event receiver listens at a node or above it; events include priority changes.
    func hasReceiver(atOrAbove node: [UInt8]) -> Bool {
        var hasReceiver = false
        trie.visit(concernedBy: node) { found, targets in
            guard found.count <= node.count, !hasReceiver else { return }
            hasReceiver = targets.values.contains { if case .receiver = $0 { true } else { false } }
        }
        return hasReceiver
    }
}
