/// A worker's first message.
enum Handshake: Sendable, Hashable {
    /// It has given up all that it does not need. With the address space that it has so far, in bytes.
    case ready(addressSpaceBytes: Int)
    /// It could not: something is missing here.
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
        if try reader.bool("greeting") {
            self = .missing(try reader.text("what is missing", maxCount: 1000))
        } else {
            self = .ready(addressSpaceBytes: try reader.integer("address space", in: 0...(1 << 46)))
        }
        try reader.finish()
    }
}
