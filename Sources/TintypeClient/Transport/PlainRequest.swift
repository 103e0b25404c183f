#if canImport(FoundationNetworking)
    internal import Foundation
    internal import Glibc

    /// One request over HTTP/1.1 without TLS, on a thread of its own.
    final class PlainRequest: Sendable {
        private struct Current {
            var connection: SocketConnection?
            var isCancelled = false
        }

        private let request: TransportRequest
        private let body: PreparedBody
        private let exchange: Exchange
        private let pool: ConnectionPool
        private let current = Guarded(Current())

        init(_ request: TransportRequest, _ body: PreparedBody, _ exchange: Exchange, _ pool: ConnectionPool) {
            (self.request, self.body, self.exchange, self.pool) = (request, body, exchange, pool)
        }

        /// Starts the thread.
        func start() {
            let thread = Thread { self.run() }
            thread.stackSize = 512 << 10
            thread.start()
        }

        /// Makes the thread end soon.
        func cancel() {
            let connection = current.withLock { current in
                current.isCancelled = true
                return current.connection
            }
            connection?.interrupt()
        }

        private func run() {
            defer { pool.remove(self) }
            do {
                let (host, port) = (request.url.host ?? "", request.url.port ?? 80)
                let origin = "\(host):\(port)"
                if let kept = pool.take(origin) {
                    do {
                        return try perform(on: kept, origin)
                    } catch is EndedBeforeAnswer {
                        // The service closed the connection before the request arrived.
                    }
                }
                let connection = SocketConnection()
                try use(connection)
                try connection.connect(to: host, port: port)
                do {
                    try perform(on: connection, origin)
                } catch is EndedBeforeAnswer {
                    throw TransportError(.interrupted, "the connection ended before the answer")
                }
            } catch {
                exchange.finish(error)
            }
        }

        private struct EndedBeforeAnswer: Error {}

        private func use(_ connection: SocketConnection) throws {
            try current.withLock { current in
                guard !current.isCancelled else { throw CancellationError() }
                current.connection = connection
            }
        }

        private func perform(on connection: SocketConnection, _ origin: String) throws {
            try use(connection)
            var parser = AnswerParser(method: request.method)
            let isSent: Bool
            do {
                isSent = try send(on: connection, &parser)
                while !parser.isComplete {
                    let bytes = try connection.receive()
                    try receive(bytes, &parser)
                }
            } catch let error as TransportError where error.cause == .interrupted && parser.isEmpty {
                throw EndedBeforeAnswer()
            }
            current.withLock { $0.connection = nil }
            if isSent, parser.allowsReuse { pool.keep(connection, origin) } else { connection.close() }
            exchange.finish(nil)
        }

        /// Hands bytes of the answer, or its end with nil, to the exchange.
        private func receive(_ bytes: Data?, _ parser: inout AnswerParser) throws {
            guard let bytes else { return try parser.end() }
            let hadHead = parser.head != nil
            let body = try parser.parse(bytes)
            if !hadHead {
                guard let head = parser.head else { return exchange.touch() }
                exchange.receive(head)
            }
            if !body.isEmpty { exchange.receive(body) }
        }

        /// Sends the request, and stops when an answer arrives before its end.
        ///
        /// - Returns: Whether all of it has been sent.
        private func send(on connection: SocketConnection, _ parser: inout AnswerParser) throws -> Bool {
            var source = try BodyReader(body)
            var rest = head
            var sent = Int64(-rest.count)
            while true {
                if rest.isEmpty { rest = try source.next() }
                guard !rest.isEmpty else { return true }
                let events = try connection.wait(for: POLLIN | POLLOUT)
                if events & POLLIN != 0 {
                    try receive(try connection.receive(), &parser)
                    if parser.head != nil { return false }
                } else {
                    let count = try connection.send(rest)
                    rest = rest.dropFirst(count)
                    sent += Int64(count)
                    if sent > 0 { exchange.sent(sent) }
                }
            }
        }

        private var head: Data {
            let components = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            var target = components?.percentEncodedPath ?? "/"
            if !target.hasPrefix("/") { target = "/" + target }
            if let query = components?.percentEncodedQuery { target += "?" + query }
            let host = request.url.host ?? ""
            var text = "\(request.method) \(target) HTTP/1.1\r\nHost: \(host.contains(":") ? "[\(host)]" : host)"
            if let port = request.url.port { text += ":\(port)" }
            for (name, value) in request.headers.sorted where !["host", "content-length", "connection"].contains(name) {
                text += "\r\n\(name): \(value)"
            }
            if request.body.count > 0 || ["POST", "PUT", "PATCH"].contains(request.method) {
                text += "\r\nContent-Length: \(request.body.count)"
            }
            return Data((text + "\r\n\r\n").utf8)
        }
    }

    /// The bytes of a body, piece by piece.
    private struct BodyReader {
        private var data = Data()
        private var file: FileHandle?

        init(_ body: PreparedBody) throws {
            switch body {
            case .none: break
            case .data(let data): self.data = data
            case .file(let file, _): self.file = try Self.reading { try FileHandle(forReadingFrom: file) }
            }
        }

        /// Returns the next piece; it is empty at the end.
        mutating func next() throws -> Data {
            if let file { return try Self.reading { try file.read(upToCount: 1 << 20) } ?? Data() }
            defer { data = Data() }
            return data
        }

        private static func reading<Value>(_ body: () throws -> Value) throws -> Value {
            do { return try body() } catch { throw TransportError(.unreadableFile, String(describing: error)) }
        }
    }
#endif
