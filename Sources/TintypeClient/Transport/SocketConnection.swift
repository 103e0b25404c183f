#if canImport(FoundationNetworking)
    internal import Foundation
    internal import Glibc

    /// A connection over TCP. One thread at a time uses it, and any may interrupt it.
    final class SocketConnection: Sendable {
        private struct State {
            var descriptor: Int32 = -1
            var isInterrupted = false
        }

        private let state = Guarded(State())

        deinit { close() }

        /// Connects to the first address of a host that accepts.
        ///
        /// - Throws: `TransportError`.
        func connect(to host: String, port: Int) throws {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = AI_ADDRCONFIG
            var addresses: UnsafeMutablePointer<addrinfo>?
            let status = getaddrinfo(host, String(port), &hints, &addresses)
            guard status == 0 else {
                throw TransportError(.unreachable, "\(host): \(String(cString: gai_strerror(status)))")
            }
            defer { freeaddrinfo(addresses) }
            var failure = ECONNREFUSED
            var next = addresses
            while let address = next?.pointee {
                failure = try connect(to: address)
                if failure == 0 { return }
                next = address.ai_next
            }
            let isOffline = [ENETUNREACH, ENETDOWN].contains(failure)
            let cause: TransportError.Cause = isOffline ? .offline : failure == ETIMEDOUT ? .timedOut : .unreachable
            throw TransportError(cause, "\(host):\(port): \(String(cString: strerror(failure)))")
        }

        /// Returns the error number of an attempt; 0 for success.
        private func connect(to address: addrinfo) throws -> Int32 {
            close()
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(address.ai_family, kind, 0)
            guard descriptor >= 0 else { return errno }
            state.withLock { $0.descriptor = descriptor }
            // A body that follows its header must not wait until the header is acknowledged, which takes 40 ms.
            var isUndelayed: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isUndelayed, socklen_t(MemoryLayout<Int32>.size))
            guard Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return 0 }
            guard errno == EINPROGRESS else { return errno }
            _ = try wait(for: POLLOUT)
            var failure: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
            return failure
        }

        /// Whether the other side has neither closed the connection nor sent anything.
        var isQuiet: Bool {
            var waiting = pollfd(fd: state.withLock { $0.descriptor }, events: Int16(POLLIN), revents: 0)
            return poll(&waiting, 1, 0) == 0
        }

        /// Waits for some of the events of poll(2), and returns those that have come.
        ///
        /// - Throws: `CancellationError` if the connection was interrupted.
        func wait(for events: Int32) throws -> Int32 {
            while true {
                let state = state.withLock { $0 }
                guard !state.isInterrupted else { throw CancellationError() }
                var waiting = pollfd(fd: state.descriptor, events: Int16(events), revents: 0)
                if poll(&waiting, 1, -1) > 0 { return Int32(waiting.revents) }
                guard errno == EINTR else { throw Self.interrupted() }
            }
        }

        /// Waits for bytes; nil at their end.
        ///
        /// - Throws: `TransportError.Cause.interrupted`; `CancellationError`.
        func receive() throws -> Data? {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                _ = try wait(for: POLLIN)
                let count = recv(state.withLock { $0.descriptor }, &buffer, buffer.count, 0)
                if count > 0 { return Data(buffer[..<count]) }
                if count == 0 { return nil }
                guard errno == EAGAIN || errno == EINTR else { throw Self.interrupted() }
            }
        }

        /// Sends the first bytes of some, as many as there is room for now, and returns their number.
        ///
        /// - Throws: `TransportError.Cause.interrupted`.
        func send(_ bytes: Data) throws -> Int {
            let descriptor = state.withLock { $0.descriptor }
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count >= 0 { return count }
            guard errno == EAGAIN || errno == EINTR else { throw Self.interrupted() }
            return 0
        }

        private static func interrupted() -> TransportError {
            TransportError(.interrupted, String(cString: strerror(errno)))
        }

        /// Makes the thread that uses the connection stop soon.
        func interrupt() {
            state.withLock { state in
                state.isInterrupted = true
                if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
            }
        }

        /// Closes the connection.
        func close() {
            state.withLock { state in
                if state.descriptor >= 0 { _ = Glibc.close(state.descriptor) }
                state.descriptor = -1
            }
        }
    }
#endif
