#if canImport(FoundationNetworking)
    internal import Foundation

    /// The requests without TLS that are under way, and the connections that wait for the next one.
    ///
    /// On Linux they do not go through `URLSession`: its Foundation ends the process if a connection ends within the header
    /// of an answer (a trap in `_NativeProtocol.transferCompleted`). Over TLS, such an end is an error.
    final class ConnectionPool: Sendable {
        private struct State {
            var requests: [ObjectIdentifier: (PlainRequest, Exchange)] = [:]
            var kept: [String: [SocketConnection]] = [:]
            var isClosed = false
        }

        private static let keptLimit = 16

        private let state = Guarded(State())

        /// Starts a request.
        ///
        /// - Throws: `CancellationError` after the end.
        func start(_ request: TransportRequest, _ body: PreparedBody, _ exchange: Exchange) throws {
            let plain = PlainRequest(request, body, exchange, self)
            try state.withLock { state in
                guard !state.isClosed else { throw CancellationError() }
                state.requests[ObjectIdentifier(plain)] = (plain, exchange)
            }
            plain.start()
            exchange.begin(idleTimeout: request.idleTimeout) { plain.cancel() }
        }

        /// Forgets a request that has ended.
        func remove(_ request: PlainRequest) {
            state.withLock { $0.requests[ObjectIdentifier(request)] = nil }
        }

        /// Takes a connection that is kept for a host and still open; nil for none.
        func take(_ origin: String) -> SocketConnection? {
            while let connection = state.withLock({ $0.kept[origin]?.popLast() }) {
                if connection.isQuiet { return connection }
                connection.close()
            }
            return nil
        }

        /// Keeps a connection for the next request to a host.
        func keep(_ connection: SocketConnection, _ origin: String) {
            let isKept = state.withLock { state in
                guard !state.isClosed, state.kept[origin, default: []].count < Self.keptLimit else { return false }
                state.kept[origin, default: []].append(connection)
                return true
            }
            if !isKept { connection.close() }
        }

        /// Ends all requests with `CancellationError`, and closes all connections. No further request can start.
        func close() {
            let ended = state.withLock { state in
                defer { (state.requests, state.kept, state.isClosed) = ([:], [:], true) }
                return (exchanges: state.requests.values.map(\.1), kept: state.kept.values.flatMap(\.self))
            }
            for exchange in ended.exchanges { exchange.fail(CancellationError()) }
            for connection in ended.kept { connection.close() }
        }
    }
#endif
