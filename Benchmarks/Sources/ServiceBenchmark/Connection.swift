import Glibc

/// A connection with one request underway at a time.
final class Connection {
    let descriptor: Int32
    private var received: [UInt8] = []
    private var lastLength = 0
    private(set) var sentAt = 0.0

    init(unix path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard code == 0 else {
            Glibc.close(descriptor)
            throw Failure("cannot connect to \(path)")
        }
    }

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard descriptor >= 0, code == 0 else {
            throw Failure("cannot connect to port \(port): \(String(cString: strerror(errno)))")
        }
    }

    func close() { Glibc.close(descriptor) }

    /// Sends a whole request.
    func send(_ bytes: [UInt8]) throws {
        sentAt = Clock.seconds
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure("the service has closed the connection") }
            start += count
        }
    }

    /// Reads the available bytes.
    ///
    /// - Returns: Whether they complete an answer.
    func receive() throws -> Bool {
        let room = 1 << 14
        let start = received.count
        received.append(contentsOf: repeatElement(0, count: room))
        let count = received[start...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, room) }
        received.removeLast(room - max(count, 0))
        guard count > 0 else { throw Failure("the service has closed the connection") }
        // Most answers are as long as the one before; parsing the length of each would cost more than sending it.
        guard received.count != lastLength || received[9] != UInt8(ascii: "2") else {
            received.removeAll(keepingCapacity: true)
            return true
        }
        guard let length = Self.answerLength(received), received.count >= length else { return false }
        lastLength = received.count
        guard received.starts(with: "HTTP/1.1 2".utf8) else {
            throw Failure("refused: \(String(decoding: received.prefix(400), as: UTF8.self))")
        }
        received.removeAll(keepingCapacity: true)
        return true
    }

    /// Returns the length of an answer whose head is complete.
    private static func answerLength(_ bytes: [UInt8]) -> Int? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        guard let field = head.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }),
            let length = Int(field.dropFirst(15).drop { $0 == " " })
        else { return end.upperBound }
        return end.upperBound + length
    }

    /// Waits until bytes are available, and reads them.
    func readSome() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw Failure("the service has closed the connection") }
        return Array(bytes[..<count])
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Returns: The body.
    func fetch(_ bytes: [UInt8]) throws -> [UInt8] {
        try send(bytes)
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { throw Failure("the service has closed the connection") }
            answer += chunk[..<count]
            guard let length = Self.answerLength(answer), answer.count >= length else { continue }
            guard answer.starts(with: "HTTP/1.1 2".utf8), let head = answer.firstRange(of: Array("\r\n\r\n".utf8))
            else {
                throw Failure("refused: \(String(decoding: answer.prefix(400), as: UTF8.self))")
            }
            return Array(answer[head.upperBound...])
        }
    }

    /// Sends a request and waits for its answer.
    func exchange(_ bytes: [UInt8]) throws {
        try send(bytes)
        while try !receive() {}
    }
}

enum HTTP {
    static func request(_ method: String, _ target: String, _ body: String = "", headers: String = "") -> [UInt8] {
        Array(
            "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
    }
}
