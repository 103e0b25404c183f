package import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket that was accepted, on its way to its thread.
struct AcceptedSocket: Sendable {
    let socket: Int32
    /// A descriptor that is readable as soon as the server ends.
    let stopped: Int32
    let number: Int
}

/// A request as it was received.
package struct ScriptedRequest: Hashable, Sendable {
    /// The method.
    package var method: String
    /// The path and the query.
    package var target: String
    /// The header fields, by their names in lower case.
    package var headers: [String: String]
    /// The body.
    package var body: Data
}

/// One connection to a scripted server, from the server's side. Its methods wait on the thread of the script.
package final class ScriptedConnection {
    /// The number of the connection, counted from 0.
    package let number: Int
    private let socket: Int32
    private let stopped: Int32
    private var received = Data()

    /// The end of the connection, or of the server.
    package struct Ended: Error {}

    init(_ accepted: AcceptedSocket) {
        (socket, stopped, number) = (accepted.socket, accepted.stopped, accepted.number)
    }

    /// Waits for a whole request; nil if the client has closed the connection instead.
    package func request() throws -> ScriptedRequest? {
        guard let (line, headers) = try head() else { return nil }
        let parts = line.split(separator: " ")
        guard parts.count == 3 else { throw Ended() }
        var body = Data()
        if headers["transfer-encoding"] == "chunked" {
            while let size = Int(try self.line(), radix: 16), size > 0 {
                body += try bytes(size)
                _ = try self.line()
            }
            _ = try self.line()
        } else {
            body = try bytes(Int(headers["content-length"] ?? "") ?? 0)
        }
        return ScriptedRequest(method: String(parts[0]), target: String(parts[1]), headers: headers, body: body)
    }

    /// Waits for the header of a request and leaves its body unread; nil if the client has closed the connection instead.
    package func head() throws -> (line: String, headers: [String: String])? {
        guard try !received.isEmpty || receive() else { return nil }
        let line = try line()
        var headers: [String: String] = [:]
        while case let field = try self.line(), !field.isEmpty {
            guard let colon = field.firstIndex(of: ":") else { throw Ended() }
            let value = field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[field[..<colon].lowercased()] = value
        }
        return (line, headers)
    }

    private func line() throws -> String {
        while true {
            if let end = received.range(of: Data("\r\n".utf8)) {
                defer { received = Data(received[end.upperBound...]) }
                return String(decoding: received[..<end.lowerBound], as: UTF8.self)
            }
            guard try receive() else { throw Ended() }
        }
    }

    private func bytes(_ count: Int) throws -> Data {
        while received.count < count { guard try receive() else { throw Ended() } }
        defer { received = Data(received.dropFirst(count)) }
        return Data(received.prefix(count))
    }

    /// Waits for bytes.
    ///
    /// - Returns: Whether there were some before the client closed the connection.
    private func receive() throws -> Bool {
        guard Self.wait(for: POLLIN, of: socket, unless: stopped, milliseconds: -1) else { throw Ended() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 { received.append(contentsOf: buffer[..<count]) }
        return count > 0
    }

    /// Sends a text.
    package func send(_ text: String) throws { try send(Data(text.utf8)) }

    /// Sends bytes.
    package func send(_ bytes: Data) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard Self.wait(for: POLLOUT, of: socket, unless: stopped, milliseconds: -1) else { throw Ended() }
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = rest.withUnsafeBytes { platformSend(socket, $0.baseAddress, $0.count, flags) }
            guard count > 0 || errno == EAGAIN else { throw Ended() }
            if count > 0 { rest = rest.dropFirst(count) }
        }
    }

    /// Waits until the client has closed the connection; what it sends is dropped.
    package func waitForEnd() throws {
        while try receive() { received = Data() }
    }

    /// Waits for a time.
    package func wait(_ duration: Duration) throws {
        let milliseconds = Int32(duration / .milliseconds(1))
        var stop = pollfd(fd: stopped, events: Int16(POLLIN), revents: 0)
        if poll(&stop, 1, milliseconds) != 0 { throw Ended() }
    }

    /// Makes the end of the connection a reset, as after a crash of a host.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    func end() { _ = close(socket) }

    /// Waits until a descriptor is ready.
    ///
    /// - Returns: Whether it is, and the server has not ended.
    static func wait(for event: Int32, of descriptor: Int32, unless stopped: Int32, milliseconds: Int32) -> Bool {
        var waiting = [
            pollfd(fd: descriptor, events: Int16(event), revents: 0),
            pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waiting, 2, milliseconds) < 0, errno == EINTR {}
        return waiting[1].revents == 0 && waiting[0].revents != 0
    }
}

private func platformSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}
