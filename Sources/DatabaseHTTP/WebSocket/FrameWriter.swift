import NIOCore

/// The encoding of messages to a client as WebSocket text frames (RFC 6455, section 5.2).
///
/// A message of at most ``maxFrameBytes`` is one frame. A longer message is cut into pieces: the first frame contains
/// their number in decimal digits, and each further frame one piece, as in Firebase's wire protocol.
///
/// A server does not mask its frames, so that a message for many clients is encoded once.
enum FrameWriter {
    /// The largest size of a frame's text, in bytes. Clients accept 16,384 UTF-16 units, and a text never has more such
    /// units than bytes of UTF-8.
    static let maxFrameBytes = 16_384
    /// The largest number of pieces of a message: some clients read a number of at most four digits.
    static let maxPieces = 9_999

    private static let text: UInt8 = 0x81
    private static let close: UInt8 = 0x88
    private static let ping: UInt8 = 0x89
    private static let pong: UInt8 = 0x8A

    /// Returns the frames of a message in UTF-8; nil if it needs more than ``maxPieces`` pieces.
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

    /// Returns the end of a piece of a longer text in UTF-8: the last offset, at most `limit`, that cuts no character.
    ///
    /// - Parameter tail: The three bytes before `limit`, and the byte at it.
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

    /// Appends a text frame with a payload of at most 65,535 bytes.
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

    /// Returns the answer to a ping, with the ping's payload, of which no more than 125 bytes are sent.
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
