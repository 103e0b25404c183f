import NIOCore

/// Encodes messages to a client as WebSocket text frames (RFC 6455, section 5.2): a single frame, or the number of
/// pieces and then the pieces.
///
/// A server's frames are the same for all clients, so that a frame for many clients is encoded once.
enum FrameWriter {
    /// The largest size of a frame, in bytes. A frame may have 16,384 UTF-16 units, and it has no more units than
    /// bytes.
    static let maxFrameBytes = 16_384
    /// The largest number of pieces of a message: some clients read no longer number.
    static let maxPieces = 9_999

    private static let text: UInt8 = 0x81
    private static let close: UInt8 = 0x88
    private static let ping: UInt8 = 0x89
    private static let pong: UInt8 = 0x8A

    /// Returns the frames of a message; nil if it needs too many.
    static func frames(_ message: [UInt8]) -> ByteBuffer? {
        var buffer = ByteBuffer()
        guard message.count > maxFrameBytes else {
            buffer.reserveCapacity(message.count + 4)
            append(message[...], to: &buffer)
            return buffer
        }
        let ends = ends(of: message)
        guard ends.count <= maxPieces else { return nil }
        buffer.reserveCapacity(message.count + 4 * ends.count + 8)
        append(Array("\(ends.count)".utf8)[...], to: &buffer)
        var start = 0
        for end in ends {
            append(message[start..<end], to: &buffer)
            start = end
        }
        return buffer
    }

    /// Returns the end of a piece of a longer text, without cutting a character.
    ///
    /// - Parameter tail: The byte at the latest possible end and the three bytes before it.
    static func cut(before limit: Int, tail: some Collection<UInt8>) -> Int {
        var end = limit
        for byte in tail.reversed() {
            // A byte that continues a character may not be the first of the next piece.
            guard byte & 0xC0 == 0x80 else { break }
            end -= 1
        }
        return end
    }

    private static func ends(of message: [UInt8]) -> [Int] {
        var ends: [Int] = []
        var start = 0
        while message.count - start > maxFrameBytes {
            let limit = start + maxFrameBytes
            start = cut(before: limit, tail: message[limit - 3...limit])
            ends.append(start)
        }
        return ends + [message.count]
    }

    /// Appends a text frame of at most 65,535 bytes.
    static func append(_ payload: ArraySlice<UInt8>, to buffer: inout ByteBuffer) {
        buffer.writeInteger(text)
        if payload.count < 126 {
            buffer.writeInteger(UInt8(payload.count))
        } else {
            buffer.writeInteger(126 as UInt8)
            buffer.writeInteger(UInt16(clamping: payload.count))
        }
        buffer.writeBytes(payload)
    }

    // MARK: Control frames

    static let pingFrame = ByteBuffer(bytes: [ping, 0])

    /// Returns the answer to a ping, with the ping's payload.
    static func pong(_ payload: ByteBufferView) -> ByteBuffer {
        ByteBuffer(bytes: [pong, UInt8(min(payload.count, 125))] + payload.prefix(125))
    }

    /// Returns a frame that closes a connection, with a code of RFC 6455, section 7.4.1.
    static func close(_ code: UInt16) -> ByteBuffer {
        var buffer = ByteBuffer(bytes: [close, 2])
        buffer.writeInteger(code)
        return buffer
    }
}
