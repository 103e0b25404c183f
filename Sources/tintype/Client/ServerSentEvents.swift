import API
import Client
import NIOCore

/// One event of a stream (WHATWG HTML §9.2): its name, its id and its data.
struct ServerSentEvent: Sendable, Equatable {
    var name = ""
    var id = ""
    var data = ""
}

/// Reads the events of a stream from the pieces in which it comes.
struct ServerSentEvents {
    /// The longest line that is read, in bytes: more than the largest post.
    private static let maxLineBytes = 64 << 20

    private var line: [UInt8] = []
    private var event = ServerSentEvent()

    /// Takes in a piece, and gives the events that are complete with it. Comments are none.
    ///
    /// - Throws: `Failure` with the code `too_large_bytes` for a line that does not end.
    mutating func read(_ piece: ByteBuffer) throws(Failure) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in piece.readableBytesView {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.maxLineBytes else {
                    throw Failure(.tooLarge, "the service sends an event of more than \(Self.maxLineBytes) bytes")
                }
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    /// Takes in a line; an empty one ends the event.
    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer { event = ServerSentEvent() }
            return event.name.isEmpty ? nil : event
        }
        let parts = String(decoding: line, as: UTF8.self).split(
            separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "event": event.name = String(parts[1])
        case "id": event.id = String(parts[1])
        case "data": event.data = String(parts[1])
        default: break
        }
        return nil
    }
}
