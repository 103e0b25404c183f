import CEpoll
import Glibc

/// A listener to a node of the database, with its own connection.
protocol Listening {
    var descriptor: Int32 { get }

    /// Reads the available bytes, and answers messages that require an answer.
    func notice() throws
    /// Checks that the service still serves this listener.
    func check() throws
    func close()
}

extension WireClient: Listening {
    func notice() throws { try receive { _ in } }
    func check() throws { try ping() }
}

/// An event stream that is open and has received its first event.
struct Stream: Listening {
    private let connection: Connection

    var descriptor: Int32 { connection.descriptor }

    init(at path: String, _ service: Service) throws {
        connection = try Connection(unix: service.socketPath)
        try connection.send(
            Array("GET \(path).json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".utf8))
        var text = ""
        while !text.hasSuffix("}\n\n") { text += String(decoding: try connection.readSome(), as: UTF8.self) }
        guard text.hasPrefix("HTTP/1.1 200 ") else { throw Failure("no stream was opened: \(text)") }
    }

    func notice() throws { _ = try connection.readSome() }

    /// Checks that the stream has not been closed. A stream cannot send requests.
    func check() throws {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        guard count > 0 || count < 0 && errno == EAGAIN else { throw Failure("a stream was closed") }
    }

    func close() { connection.close() }
}

/// Many connections that one thread reads.
final class Poll {
    private let descriptor: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 1024)
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init() throws {
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { throw Failure("epoll is not available") }
    }

    deinit { Glibc.close(descriptor) }

    func add(_ connection: Int32) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: connection))
        epoll_ctl(descriptor, EPOLL_CTL_ADD, connection, &event)
    }

    /// Returns the readable connections.
    func ready(within seconds: Double) -> [Int32] {
        let count = epoll_ready(descriptor, &events, 1024, Int32(seconds * 1000))
        return events.prefix(Int(max(count, 0))).map { $0.data.fd }
    }

    /// Waits until this many connections have received a text.
    ///
    /// - Returns: The time when the last one received it, on ``Clock``.
    func waitForAll(_ count: Int, toBeTold text: String) throws -> Double {
        let wanted = Array(text.utf8)
        let begin = Clock.seconds
        var told = 0
        while told < count {
            for connection in ready(within: 5) {
                let length = read(connection, &buffer, buffer.count)
                guard length > 0 else { throw Failure("the service has closed a connection") }
                if hasText(wanted, length) { told += 1 }
            }
            guard Clock.seconds - begin < 60 else { throw Failure("only \(told) of \(count) received the text") }
        }
        return Clock.seconds
    }

    private func hasText(_ text: [UInt8], _ length: Int) -> Bool {
        buffer.withUnsafeBytes { bytes in
            (0..<max(0, length - text.count + 1)).contains { index in
                bytes[index..<index + text.count].elementsEqual(text)
            }
        }
    }
}
