/// The first message of a worker, which reports whether it is isolated.
enum Handshake: Sendable, Hashable {
    /// The worker has given up all privileges that it does not need; with its current address space in bytes.
    case ready(addressSpaceBytes: Int)
    /// The worker could not give them up, because this system lacks a feature; with its name.
    case missing(String)

    var message: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .ready(let count):
            writer.append(0)
            writer.append(count)
        case .missing(let what):
            writer.append(1)
            writer.append(what)
        }
        return writer.bytes
    }

    init(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        var reader = MessageReader(message)
        if try reader.bool("handshake") {
            self = .missing(try reader.text("what is missing", maxCount: 1000))
        } else {
            self = .ready(addressSpaceBytes: try reader.integer("address space", in: 0...(1 << 46)))
        }
        try reader.finish()
    }
}
