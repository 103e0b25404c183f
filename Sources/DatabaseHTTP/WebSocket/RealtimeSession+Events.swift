import NIOCore
import Tree
import TreeModel

// Events of the store.
extension RealtimeSession {
    /// Returns the client's key of a listener; nil when the listener has ended.
    func key(_ slot: Int) -> RealtimeListen.Key? { slots[slot]?.key }

    /// Sends an event to a listener. Of listeners without a query, those at higher paths receive a change before those
    /// at lower paths.
    mutating func tell(_ number: Int, _ frames: ByteBuffer, token: SyncToken, _ effects: inout [Effect]) {
        guard let slot = slots[number], token > slot.token else { return }
        if slot.waiting != nil {
            slots[number]?.waiting?.append((token, frames))
        } else {
            slots[number]?.token = token
            // Events behind a held one wait with it. The event that covers this one may be held itself, and its
            // listener may end before it is sent; so whether this one is covered is decided then.
            guard waits(slot.key) || slot.key.tag == nil && !held.isEmpty else {
                if !isCovered(slot.key, token: token) { effects.append(.send(.frames(frames))) }
                return
            }
            held.append(Held(slot: number, frames: frames, token: token))
        }
        heldBytes += frames.readableBytes
        if heldBytes > Self.maxHeldBytes { effects.append(.close(.slowReader)) }
    }

    /// Whether the same event was sent, or is held, for a higher path to which the client listens without a tag.
    func isCovered(_ key: RealtimeListen.Key, token: SyncToken) -> Bool {
        guard key.tag == nil, numbers.count > 1 else { return false }
        return key.path.indices.contains { length in
            let above = RealtimeListen.Key(path: Array(key.path.prefix(length)), tag: nil)
            guard let slot = numbers[above].flatMap({ slots[$0] }), slot.waiting == nil else { return false }
            return slot.startToken < token && slot.token >= token
        }
    }

    /// Prevents that events sent for a path are sent again for a path below it, also after their listener has ended.
    mutating func noteTold(above ended: Slot) {
        // Events arrive in order, so older ones cannot follow.
        guard ended.key.tag == nil, ended.token > ended.startToken else { return }
        for (number, slot) in slots where slot.key.tag == nil && slot.waiting == nil && slot.token < ended.token {
            if slot.key.path.starts(with: ended.key.path) { slots[number]?.token = ended.token }
        }
    }

    /// Whether an event must wait for the first value of another listener.
    private func waits(_ key: RealtimeListen.Key) -> Bool {
        guard key.tag == nil, let beginning else { return false }
        return beginning.starts(with: key.path) || key.path.starts(with: beginning)
    }

    /// Ends a listener that is no longer permitted, or that the store cannot follow.
    mutating func revoke(_ number: Int, _ effects: inout [Effect]) {
        guard let slot = slots[number] else { return }
        end(number, &effects)
        effects.append(.send(.message(ServerMessage.revoked(slot.key, query: slot.queryText))))
    }
}
