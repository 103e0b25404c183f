internal import Foundation

/// The parser of a stream of events (the HTML standard, §9.2.6), which is fed bit by bit.
struct EventParser {
    private static let eventLimit = 16 << 20
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The time to wait before the stream is opened again; nil for none so far.
    private(set) var reconnectionTime: Duration?
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var lastByteWasReturn = false
    private var name = ""
    private var data: String?
    private var id: String?

    /// Takes bytes from the front of a chunk until an event is complete; nil if the whole chunk was taken before.
    ///
    /// - Throws: `TransportError.Cause.tooLarge` for an event of more than 16 MiB.
    mutating func nextEvent(in chunk: inout Data) throws -> ServerSentEvent? {
        while !chunk.isEmpty {
            if lastByteWasReturn {
                lastByteWasReturn = false
                if chunk.first == UInt8(ascii: "\n") {
                    chunk = chunk.dropFirst()
                    continue
                }
            }
            let end = chunk.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            line.append(contentsOf: chunk[..<(end ?? chunk.endIndex)])
            guard line.count + (data?.utf8.count ?? 0) <= Self.eventLimit else {
                throw TransportError(.tooLarge, "an event of more than \(Self.eventLimit) bytes")
            }
            guard let end else {
                chunk = Data()
                return nil
            }
            lastByteWasReturn = chunk[end] == UInt8(ascii: "\r")
            chunk = chunk[chunk.index(after: end)...]
            if let event = endLine() { return event }
        }
        return nil
    }

    private mutating func endLine() -> ServerSentEvent? {
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: line.count < 1 << 16) }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        setField(String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self), value)
        return nil
    }

    private mutating func setField(_ field: String, _ value: ArraySlice<UInt8>) {
        switch field {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            let text = String(decoding: value, as: UTF8.self)
            if data == nil { data = text } else { data?.append("\n" + text) }
        case "id":
            if !value.contains(0) { id = value.isEmpty ? nil : String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if isNumber, let milliseconds = Int32(String(decoding: value, as: UTF8.self)) {
                reconnectionTime = .milliseconds(milliseconds)
            }
        default: break
        }
    }

    /// Ends an event; nil if it has no data.
    private mutating func endEvent() -> ServerSentEvent? {
        defer { (name, data) = ("", nil) }
        return data.map { ServerSentEvent(name: name.isEmpty ? "message" : name, data: $0, id: id) }
    }
}
