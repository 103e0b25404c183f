import NIOCore

@testable import Database
@testable import DatabaseHTTP
@testable import Tree
@testable import TreeModel

/// A client, a store and a connection around a session of the wire protocol: a sequence of bytes decides their actions
/// and their order. The effects are checked against the rules of the protocol.
///
/// Each request is answered once, and writes in their order. Requests that the session carries out begin in their order, after
/// the end of the client's earlier session. The client's messages form pictures of the store: one for all listeners without a
/// tag, and one for each other listener. No part of a picture ever becomes older, and once no operation is in progress it
/// equals the store.
struct SessionModel {
    /// A listener, or a former one.
    struct Watch {
        let path: [String]
        let tag: Int?
        /// Whether the store sends it changes.
        var isRegistered = false
        /// Whether its first value was sent.
        var isBegun = false
        var isEnded = false
    }

    /// The leaves that each change of the store has written; the index is the token less one.
    typealias Commits = [[String]]
    /// The token of the last change of each leaf.
    typealias Picture = [[String]: UInt64]

    static let nodes = [[], ["a"], ["b"], ["a", "b"], ["a", "d"], ["a", "b", "c"], ["a", "b", "e"]]
    static let leaves = [["b"], ["a", "d"], ["a", "b", "c"], ["a", "b", "e"]]
    static let unnamed = -1

    private var decisions: ArraySlice<UInt8>
    var session = RealtimeSession()
    private var lastNumber = 0
    /// The number of answers that are due to each request number.
    var due: [Int: Int] = [:]
    /// The numbers of requests that have not begun, in their order.
    var queue: [Int] = []
    var running: [RealtimeSession.Request] = []
    /// The numbers of writes that have begun and have not been answered, in their order.
    var writes: [Int] = []
    /// Whether the client has an earlier session that must end first.
    var hasPrevious = false
    var commits: Commits = []
    var watches: [Int: Watch] = [:]
    /// The events that the store has sent and the session has not received, by their listeners.
    var deliveries: [(slot: Int, token: UInt64)] = []
    /// The client's pictures, by the number of a listener with a tag; those without share one.
    var pictures: [Int: Picture] = [:]
    var isClosed = false
    var mayClose = false
    private var complaint: String?

    /// - Parameter decisions: The bytes that decide the actions.
    init(_ decisions: [UInt8]) { self.decisions = decisions[...] }

    /// Performs the actions, and then finishes all open operations.
    ///
    /// - Returns: The violated rule; nil for none.
    static func complaint(about decisions: [UInt8]) -> String? {
        var model = SessionModel(decisions)
        if model.next(2) == 1 { model.succeed() }
        while !model.decisions.isEmpty, !model.isOver { model.step() }
        while !model.isOver, !model.running.isEmpty || !model.deliveries.isEmpty {
            if model.deliveries.isEmpty { model.finish() } else { model.deliver(0) }
        }
        if !model.isOver { model.checkAtRest() }
        return model.complaint
    }

    var isOver: Bool { isClosed || complaint != nil }

    private mutating func next(_ bound: Int) -> Int { Int(decisions.popFirst() ?? 0) % bound }

    mutating func complain(_ text: String) { complaint = complaint ?? text }

    private mutating func step() {
        switch next(12) {
        case 0, 1, 2, 3: ask()
        case 4, 5: commit()
        case 6, 7: if !deliveries.isEmpty { deliver(next(deliveries.count)) }
        case 8: register()
        case 9, 10: finish()
        default: next(4) == 0 ? sendAnything() : revoke()
        }
    }

    // MARK: Actions of the client

    /// Connects again after a session that has not ended.
    private mutating func succeed() {
        hasPrevious = true
        take { session, effects in session.begin(after: "s-1", &effects) }
    }

    private mutating func ask() {
        guard session.isReady else { return }
        let path = Self.nodes[next(Self.nodes.count)].joined(separator: "/")
        let (action, rest) =
            [
                ("p", ",\"d\":1"), ("m", ",\"d\":{}"), ("g", ""), ("q", ",\"h\":\"\""), ("q", ",\"h\":\"\""),
                ("q", ",\"h\":\"x\""), ("q", ",\"q\":{\"l\":1},\"t\":1,\"h\":\"\""),
                ("q", ",\"q\":{\"l\":1},\"t\":2,\"h\":\"\""), ("n", ""), ("n", ""), ("n", ",\"t\":1"),
                ("auth", ",\"cred\":\"x\""), ("o", ",\"d\":1"), ("oc", ""), ("s", ""), ("what", ""),
            ][next(16)]
        lastNumber += 1
        send("{\"t\":\"d\",\"d\":{\"r\":\(lastNumber),\"a\":\"\(action)\",\"b\":{\"p\":\"/\(path)\"\(rest)}}}")
    }

    /// Sends bytes that may not be a message, or a message with a number that was used before, or the edges of one that
    /// was too long.
    private mutating func sendAnything() {
        let count = min(next(256), decisions.count)
        let text = Array(decisions.prefix(count))
        decisions.removeFirst(count)
        let message = next(8) == 0 ? MessageJoiner.Message.tooLong(edges: text) : .text(text)
        mayClose = ClientMessage(message) == nil
        send(message)
    }

    private mutating func send(_ text: String) { send(.text(Array(text.utf8))) }

    private mutating func send(_ message: MessageJoiner.Message) {
        if case .request(let number, let action) = ClientMessage(message) {
            due[number, default: 0] += 1
            if case .success = action { queue.append(number) }
        }
        take { session, effects in session.receive(message, &effects) }
    }

    // MARK: Actions of the store

    private mutating func commit() {
        commits.append(Self.nodes[next(Self.nodes.count)])
        let told = watches.filter { $0.value.isRegistered && !$0.value.isEnded }
            .filter { Self.overlap($0.value.path, commits[commits.count - 1]) }
        // Paths above are first.
        deliveries += told.sorted { ($0.value.path.count, $0.key) < ($1.value.path.count, $1.key) }
            .map { ($0.key, UInt64(commits.count)) }
    }

    /// Delivers a change: the first undelivered one of the listeners without a query, or the first of a listener with
    /// one. These may be later than others.
    private mutating func deliver(_ index: Int) {
        let chosen = deliveries[index].slot
        let isQuery = watches[chosen]?.tag != nil
        let first = deliveries.firstIndex { isQuery ? $0.slot == chosen : watches[$0.slot]?.tag == nil } ?? index
        let (slot, token) = deliveries.remove(at: first)
        guard watches[slot]?.isEnded == false else { return }
        take { session, effects in
            session.tell(
                slot, ByteBuffer(string: "\(slot) \(token)"), token: SyncToken(sequence: token), &effects)
        }
    }

    /// Enters a new listener in the store's table.
    private mutating func register() {
        let begins = running.compactMap(\.slot).filter { watches[$0]?.isRegistered == false }
        guard !begins.isEmpty else { return }
        watches[begins[next(begins.count)]]?.isRegistered = true
    }

    private mutating func revoke() {
        let listening = watches.filter { $0.value.isRegistered && !$0.value.isEnded }.keys.sorted()
        guard !listening.isEmpty else { return }
        let slot = listening[next(listening.count)]
        take { session, effects in session.revoke(slot, &effects) }
    }

    /// Finishes one of the requests in progress.
    private mutating func finish() {
        guard !running.isEmpty else { return }
        let request = running.remove(at: next(running.count))
        if next(8) == 1 {
            if let slot = request.slot { watches[slot]?.isRegistered = true }
            return take { session, effects in
                session.refused(request, ClientRefusal(.permissionDenied, "Permission denied"), &effects)
            }
        }
        switch request.action {
        case .listen: begin(request)
        case .get:
            let text = ServerMessage.done(request.number ?? 0, "null".utf8)
            take { session, effects in session.read(request, .memory(text), &effects) }
        default: take { session, effects in session.finished(request, "\"\"", &effects) }
        }
    }

    private mutating func begin(_ request: RealtimeSession.Request) {
        guard let slot = request.slot, let watch = watches[slot] else { return complain("a listener has no number") }
        if !watch.isEnded { watches[slot]?.isRegistered = true }
        let token = UInt64(commits.count)
        // All changes that the first value contains are delivered before it.
        while !isOver, let first = deliveries.first, first.token <= token { deliver(0) }
        let known = pictures[watch.tag == nil ? Self.unnamed : slot] ?? [:]
        let hasAll = Self.leaves.allSatisfy { leaf in
            !leaf.starts(with: watch.path) || known[leaf] == lastChange(of: leaf)
        }
        let isLeftOut = hasAll && next(2) == 1
        take { session, effects in
            let value = isLeftOut ? nil : SpooledBody.Finished.memory(Array("\(slot) \(token) value".utf8))
            session.began(
                request, ListenStart(value: value, token: SyncToken(sequence: token)), &effects)
        }
        if watches[slot]?.isEnded == false, watches[slot]?.isBegun == false {
            if isLeftOut { watches[slot]?.isBegun = true } else { complain("the first value of \(slot) was not sent") }
        }
    }

    func lastChange(of leaf: [String]) -> UInt64 {
        UInt64((commits.lastIndex { leaf.starts(with: $0) } ?? -1) + 1)
    }

    private static func overlap(_ one: [String], _ other: [String]) -> Bool {
        one.starts(with: other) || other.starts(with: one)
    }
}
