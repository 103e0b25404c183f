import Glibc

/// A session of the Realtime Database's wire protocol over a WebSocket (RFC 6455), by a client that only counts
/// messages.
///
/// Used by one thread, which reads when the descriptor is ready, or waits.
final class WireClient {
    /// A message of the service.
    enum Message {
        /// The answer to a successful request.
        case answer(number: Int)
        /// A change of a node that the session listens to.
        case push
        case control
    }

    // The example of RFC 6455, section 1.3.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private let connection: Connection
    private var received: [UInt8] = []
    /// The number of the last request.
    private(set) var lastNumber = 0

    var descriptor: Int32 { connection.descriptor }

    /// Opens a session on a connection, and waits for its first message.
    init(on connection: Connection) throws {
        self.connection = connection
        try connection.send(
            Array(
                """
                GET /.ws?v=5 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(Self.key)\r\n\r\n
                """.utf8))
        let end = Array("\r\n\r\n".utf8)
        while received.firstRange(of: end) == nil { try readMore() }
        let length = received.firstRange(of: end)?.upperBound ?? 0
        let head = String(decoding: received.prefix(length), as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 101 "), head.contains(Self.accept) else {
            throw Failure("no WebSocket was opened: \(head)")
        }
        received.removeFirst(length)
        try wait { message in if case .control = message { true } else { false } }
    }

    func close() { connection.close() }

    // MARK: Sending

    /// The text of the next request.
    func request(_ action: String, _ body: String) -> String {
        lastNumber += 1
        return #"{"t":"d","d":{"r":\#(lastNumber),"a":"\#(action)","b":\#(body)}}"#
    }

    /// Sends messages, each in its own frame, all with one system call.
    func send(_ messages: [String]) throws {
        var frames: [UInt8] = []
        for message in messages { Self.append(0x81, Array(message.utf8), to: &frames) }
        try connection.send(frames)
    }

    /// Sends a request, and waits for its answer; pushes before it are ignored.
    func exchange(_ action: String, _ body: String) throws {
        try send([request(action, body)])
        try awaitAnswer()
    }

    /// Waits for the answer to the last request.
    func awaitAnswer() throws {
        let wanted = lastNumber
        try wait { message in if case .answer(wanted) = message { true } else { false } }
    }

    /// Begins to listen to a node, and waits for its first value.
    func listen(to path: String) throws { try exchange("q", #"{"p":"\#(path)","h":""}"#) }

    /// Sends the protocol's own ping, and waits for the answer.
    func ping() throws {
        try send([#"{"t":"c","d":{"t":"p","d":{}}}"#])
        try wait { message in if case .control = message { true } else { false } }
    }

    /// Appends a masked frame, as clients send it (RFC 6455, section 5.3).
    private static func append(_ opcode: UInt8, _ payload: [UInt8], to frames: inout [UInt8]) {
        frames.append(opcode)
        if payload.count < 126 {
            frames.append(0x80 | UInt8(payload.count))
        } else {
            frames += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        let mask = UInt32.random(in: 0...UInt32.max)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: mask >> (8 * $0)) }
        frames += bytes
        for (index, byte) in payload.enumerated() { frames.append(byte ^ bytes[index & 3]) }
    }

    // MARK: Receiving

    /// Reads until a message of the expected kind has arrived.
    private func wait(for isWanted: (Message) -> Bool) throws {
        var isThere = false
        // It may be among the bytes that were read before.
        try takeMessages { message in isThere = isThere || isWanted(message) }
        while !isThere { try receive { message in isThere = isThere || isWanted(message) } }
    }

    /// Reads the available bytes, and passes on each message that is complete. Answers pings.
    ///
    /// - Throws: ``Failure`` when a request was refused, or the connection is closed.
    func receive(_ take: (Message) throws -> Void) throws {
        try readMore()
        try takeMessages(take)
    }

    private func takeMessages(_ take: (Message) throws -> Void) throws {
        var start = 0
        while let (opcode, payload) = nextFrame(at: start) {
            start = payload.upperBound
            switch opcode {
            case 0x81: try take(Self.message(received[payload]))
            case 0x89:
                var pong: [UInt8] = []
                Self.append(0x8A, Array(received[payload]), to: &pong)
                try connection.send(pong)
            default: throw Failure("an unexpected frame of kind \(opcode)")
            }
        }
        received.removeFirst(start)
    }

    private func readMore() throws { received += try connection.readSome() }

    /// The kind and the payload range of the frame that begins at an index; nil until it is complete.
    private func nextFrame(at start: Int) -> (opcode: UInt8, payload: Range<Int>)? {
        guard received.count >= start + 2 else { return nil }
        var (length, begin) = (Int(received[start + 1]), start + 2)
        if length == 126 {
            guard received.count >= start + 4 else { return nil }
            (length, begin) = (Int(received[start + 2]) << 8 | Int(received[start + 3]), start + 4)
        }
        return received.count >= begin + length ? (received[start], begin..<begin + length) : nil
    }

    private static let answer = Array(#"{"t":"d","d":{"r":"#.utf8)
    private static let push = Array(#"{"t":"d","d":{"a":"#.utf8)
    private static let isCarriedOut = Array(#","b":{"s":"ok""#.utf8)

    private static func message(_ text: ArraySlice<UInt8>) throws -> Message {
        if text.starts(with: push) { return .push }
        guard text.starts(with: answer) else { return .control }
        let digits = text.dropFirst(answer.count).prefix { (0x30...0x39).contains($0) }
        guard text[digits.endIndex...].starts(with: isCarriedOut) else {
            throw Failure("refused: \(String(decoding: text.prefix(400), as: UTF8.self))")
        }
        return .answer(number: digits.reduce(0) { 10 * $0 + Int($1 - 0x30) })
    }
}
