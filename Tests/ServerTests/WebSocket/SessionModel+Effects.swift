import NIOCore

@testable import Database
@testable import DatabaseHTTP
@testable import Tree
@testable import TreeModel

// The effects of the session.
extension SessionModel {
    mutating func take(_ body: (inout RealtimeSession, inout [RealtimeSession.Effect]) -> Void) {
        var effects: [RealtimeSession.Effect] = []
        body(&session, &effects)
        for effect in effects where !isOver {
            switch effect {
            case .send(.message(let text)): hear(text)
            case .send(.spooled(.memory(let text))) where text.last == UInt8(ascii: "e"):
                hearOfStore(text, isFirst: true)
            case .send(.spooled(.memory(let text))): hear(text)
            case .send(.frames(let frames)): hearOfStore(Array(frames.readableBytesView), isFirst: false)
            case .send(.spooled(.file)): complain("an unexpected file is sent")
            case .perform(let request): perform(request)
            case .stopListening(let slot): stop(slot)
            case .close(let reason):
                isClosed = true
                let isDue = mayClose && [.protocolError, .notUTF8, .tooLarge].contains(reason)
                if !isDue { complain("closed with \(reason)") }
            }
        }
    }

    private mutating func hear(_ text: [UInt8]) {
        guard let message = JSONSlice(text).members(), let content = message["d"]?.members() else {
            return complain("\(String(decoding: text, as: UTF8.self)) is not a message")
        }
        guard message["t"]?.value?.string == "d", let number = content["r"]?.value?.integer else { return }
        guard due[number, default: 0] > running.count(where: { $0.number == number }) else {
            return complain("an unexpected answer to \(number)")
        }
        if due[number] == 1, writes.contains(number), writes.first != number {
            complain("\(number) is answered before \(writes[0])")
        }
        // It is not known which of several requests with one number is answered.
        writes.removeAll { $0 == number }
        due[number, default: 0] -= 1
        // A request that is answered without being carried out, unless it was malformed.
        let begun = due[number, default: 0] - running.count(where: { $0.number == number })
        if begun < queue.count(where: { $0 == number }) { leaveQueue(number) }
    }

    private mutating func leaveQueue(_ number: Int) {
        guard queue.first == number else { return complain("\(number) begins before \(queue.first ?? 0)") }
        queue.removeFirst()
    }

    private mutating func perform(_ request: RealtimeSession.Request) {
        if let number = request.number {
            if hasPrevious { complain("\(number) begins before the end of the session before") }
            leaveQueue(number)
            if request.isSmallWrite { writes.append(number) }
        } else if case .endSession = request.action, hasPrevious {
            hasPrevious = false
        } else {
            complain("\(request.action) was not requested")
        }
        running.append(request)
        let kinds = running.map { request in
            switch request.action {
            case .put, .merge: "write"
            case .get: "read"
            case .listen(let listen) where listen.key.tag != nil: "read"
            default: "alone"
            }
        }
        if kinds.count > 64 || kinds.count > 1 && (kinds.contains("alone") || Set(kinds).count > 1) {
            complain("\(kinds) at once")
        }
        guard case .listen(let listen) = request.action else { return }
        guard let slot = request.slot, watches[slot] == nil else { return complain("a number is used twice") }
        watches[slot] = Watch(path: listen.key.path.map(\.string), tag: listen.key.tag)
    }

    private mutating func stop(_ slot: Int) {
        guard let watch = watches[slot], !watch.isEnded else { return complain("\(slot) is ended twice") }
        watches[slot]?.isEnded = true
        deliveries.removeAll { $0.slot == slot }
        guard watch.tag == nil else { return pictures[slot] = nil }
        // A client drops the values that it does not listen to.
        let open = watches.values.filter { !$0.isEnded && $0.tag == nil }
        for leaf in Self.leaves where !open.contains(where: { leaf.starts(with: $0.path) }) {
            pictures[Self.unnamed]?[leaf] = nil
        }
    }

    /// Receives a first value or an event: `SLOT TOKEN [value]`.
    private mutating func hearOfStore(_ text: [UInt8], isFirst: Bool) {
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, let slot = Int(words[0]), let token = UInt64(words[1]), let watch = watches[slot] else {
            return complain("\(words) have no origin")
        }
        guard isFirst || watch.isBegun || watch.isEnded else { return complain("an event of \(slot) before its value") }
        if isFirst { watches[slot]?.isBegun = true }
        let commit = commits[..<Int(token)].last ?? []
        for leaf in Self.leaves where leaf.starts(with: watch.path) {
            let change: UInt64
            if isFirst {
                change = UInt64((commits[..<Int(token)].lastIndex { leaf.starts(with: $0) } ?? -1) + 1)
            } else {
                guard leaf.starts(with: commit) else { continue }
                change = token
            }
            show(change, at: leaf, for: slot, watch)
        }
    }

    private mutating func show(_ change: UInt64, at leaf: [String], for slot: Int, _ watch: Watch) {
        let open = watches.filter { !$0.value.isEnded && (watch.tag == nil ? $0.value.tag == nil : $0.key == slot) }
        guard open.values.contains(where: { leaf.starts(with: $0.path) }) else { return }
        let name = watch.tag == nil ? Self.unnamed : slot
        let shown = pictures[name]?[leaf] ?? 0
        guard change >= shown else { return complain("\(leaf) goes back from \(shown) to \(change), by \(slot)") }
        pictures[name, default: [:]][leaf] = change
    }

    /// Checks the state after all requests and events have been processed.
    mutating func checkAtRest() {
        if session.isBusy || !queue.isEmpty { complain("\(queue) never begin") }
        if hasPrevious { complain("the earlier session is not ended") }
        if let (number, _) = due.first(where: { $0.value != 0 }) { complain("\(number) is not answered") }
        if !session.isReady { complain("the session has stopped reading") }
        if session.heldBytes != 0 || !session.held.isEmpty { complain("\(session.heldBytes) bytes are held") }
        for (slot, watch) in watches where !watch.isEnded && watch.isBegun {
            let picture = pictures[watch.tag == nil ? Self.unnamed : slot] ?? [:]
            for leaf in Self.leaves
            where leaf.starts(with: watch.path) && picture[leaf, default: 0] != lastChange(of: leaf) {
                complain("\(slot) did not receive \(lastChange(of: leaf)) at \(leaf)")
            }
        }
    }
}
