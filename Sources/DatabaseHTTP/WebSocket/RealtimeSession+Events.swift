import NIOCore
import Tree
import TreeModel

// What the store tells.
extension RealtimeSession {
    /// By what the client knows a listener; nil when it has ended.
    func key(_ slot: Int) -> RealtimeListen.Key? { slots[slot]?.key }

    /// Something has changed at what a listener listens to. Of listeners without a query, those of places above are told of a
    /// change before those of places below.
    mutating func tell(_ number: Int, _ frames: ByteBuffer, token: SyncToken, _ effects: inout [Effect]) {
        guard let slot = slots[number], token > slot.token else { return }
        if slot.waiting != nil {
            slots[number]?.waiting?.append((token, frames))
        } else {
            slots[number]?.token = token
            // All that is told behind what is held waits with it. What covers it may be held itself, and its listener end before
            // it is told; so whether it is covered is decided then.
            guard waits(slot.key) || slot.key.tag == nil && !held.isEmpty else {
                if !isCovered(slot.key, token: token) { effects.append(.send(.frames(frames))) }
                return
            }
            held.append(Held(slot: number, frames: frames, token: token))
        }
        heldBytes += frames.readableBytes
        if heldBytes > Self.maxHeldBytes { effects.append(.close(.slowReader)) }
    }

    /// Whether the same was told, or is held to be told, of a place above to which the client listens without a tag.
    func isCovered(_ key: RealtimeListen.Key, token: SyncToken) -> Bool {
        guard key.tag == nil, numbers.count > 1 else { return false }
        return key.path.indices.contains { length in
            let above = RealtimeListen.Key(path: Array(key.path.prefix(length)), tag: nil)
            guard let slot = numbers[above].flatMap({ slots[$0] }), slot.waiting == nil else { return false }
            return slot.startToken < token && slot.token >= token
        }
    }

    /// What was told of a place is not told again of one below it, also when the listener has ended by then to which it was told.
    mutating func noteTold(above ended: Slot) {
        // Behind an event, nothing older comes any more.
        guard ended.key.tag == nil, ended.token > ended.startToken else { return }
        for (number, slot) in slots where slot.key.tag == nil && slot.waiting == nil && slot.token < ended.token {
            if slot.key.path.starts(with: ended.key.path) { slots[number]?.token = ended.token }
        }
    }

    /// Whether an event has to wait for the first value of another listener.
    private func waits(_ key: RealtimeListen.Key) -> Bool {
        guard key.tag == nil, let beginning else { return false }
        return beginning.starts(with: key.path) || key.path.starts(with: beginning)
    }

    /// A listener may not listen any more, or the store cannot follow it.
    mutating func revoke(_ number: Int, _ effects: inout [Effect]) {
        guard let slot = slots[number] else { return }
        end(number, &effects)
        effects.append(.send(.message(ServerMessage.revoked(slot.key, query: slot.queryText))))
    }
}
